// A state and a lock through the generated Go client: go run ./roundtrip URL TOKEN
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"time"

	statehouse "example.org/data/statehouse"
)

type object = map[string]interface{}

var (
	// A number of a state is a float64 here, exact up to 2^53.
	document = object{"singer_state": object{"bookmarks": object{"orders": object{
		"id": float64(9007199254740991), "none": nil, "list": []interface{}{nil, object{}}}}}}
	// They differ in what is encoded alone; all of them are other ids.
	ids    = []string{"go:a/b", "go:a%2Fb", "go:a%252Fb", "go:a b;c?d#e&f=g+h", "go:a+b", "go:\u2603 \U0001f4a9\"'<>"}
	lockID = "3f1f8a52-6f0e-4c7c-9a57-0d2f6b8d1c11"
)

func main() {
	configuration := statehouse.NewConfiguration()
	configuration.Servers = statehouse.ServerConfigurations{{URL: os.Args[1]}}
	client := statehouse.NewAPIClient(configuration)
	stranger, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, _, err := client.StatesAPI.GetState(stranger, "go:none").Execute()
	refused(err, 401, "unauthenticated")
	caller := context.WithValue(stranger, statehouse.ContextAccessToken, os.Args[2])
	states(caller, client)
	lock(caller, client)
	fmt.Printf("Go: %d states and a lock went round\n", len(ids))
}

func states(caller context.Context, client *statehouse.APIClient) {
	halves := statehouse.NewStateHalves()
	halves.SetCompletedState(document)
	for number, id := range ids {
		halves.SetPartialState(object{"singer_state": object{"number": float64(number)}})
		made, answer, err := client.StatesAPI.PutState(caller, id).StateHalves(*halves).Execute()
		done(err, answer, 201)
		same(made.StateId, id)
	}
	for number, id := range ids {
		view, answer, err := client.StatesAPI.GetState(caller, id).Execute()
		done(err, answer, 200)
		same(view.StateRecord.CompletedState, document)
		same(view.StateRecord.PartialState, object{"singer_state": object{"number": float64(number)}})
	}
	merged, answer, err := client.StatesAPI.GetState(caller, ids[0]).View("merged").Execute()
	done(err, answer, 200)
	same((*merged.MapmapOfStringAny)["singer_state"].(object)["number"], 0.0)

	alone := statehouse.NewStateHalves()
	alone.SetCompletedState(document)
	replaced, answer, err := client.StatesAPI.PutState(caller, ids[0]).StateHalves(*alone).Execute()
	done(err, answer, 200)
	same(replaced.PartialState, object(nil))
	answer, err = client.StatesAPI.HeadState(caller, ids[0]).Execute()
	done(err, answer, 200)
	same(answer.Header.Get("ETag"), fmt.Sprintf("\"%d\"", replaced.Version))
	_, answer, err = client.StatesAPI.PutState(caller, ids[0]).StateHalves(*alone).IfMatch(answer.Header.Get("ETag")).Execute()
	done(err, answer, 200)
	_, err = client.StatesAPI.DeleteState(caller, ids[0]).IfMatch(fmt.Sprintf("\"%d\"", replaced.Version)).Execute()
	refused(err, 412, "version-mismatch")

	page, answer, err := client.StatesAPI.ListStates(caller).Pattern("go:*").Include("documents").Execute()
	done(err, answer, 200)
	same(len(page.States), len(ids))
	for _, entry := range page.States {
		same(entry.CompletedState, document)
	}
	plain, answer, err := client.StatesAPI.ListStates(caller).Pattern("go:*").Limit(2).Execute()
	done(err, answer, 200)
	same(len(plain.States), 2)
	same(plain.States[0].CompletedState, object(nil))
	exported, answer, err := client.TransferAPI.ExportStates(caller).Pattern(ids[0]).Execute()
	done(err, answer, 200)
	same((*exported)[ids[0]].Completed, document)
}

func lock(caller context.Context, client *statehouse.APIClient) {
	id, halves := ids[1], *statehouse.NewStateHalves()
	halves.SetCompletedState(object{"a": 1.0})
	request := statehouse.NewLeaseRequest("round trip")
	request.SetLockId(lockID)
	lease, answer, err := client.LocksAPI.AcquireLock(caller, id).LeaseRequest(*request).Execute()
	done(err, answer, 201)
	_, _, err = client.StatesAPI.PutState(caller, id).StateHalves(halves).Execute()
	held := refused(err, 423, "locked")
	same(held.Holder.Owner, "round trip")
	same(held.Holder.FencingToken, lease.FencingToken)
	same(*held.Waiting, int32(0))
	_, answer, err = client.StatesAPI.PutState(caller, id).StateHalves(halves).LockToken(lockID).Execute()
	done(err, answer, 200)
	renewal := statehouse.NewRenewRequest()
	renewal.SetTtlSeconds(90)
	_, answer, err = client.LocksAPI.RenewLock(caller, id).LockToken(lockID).RenewRequest(*renewal).Execute()
	done(err, answer, 200)
	answer, err = client.LocksAPI.ReleaseLock(caller, id).LockToken(lockID).Execute()
	done(err, answer, 204)
	_, _, err = client.LocksAPI.GetLock(caller, id).Execute()
	refused(err, 404, "not-locked")
	answer, err = client.StatesAPI.DeleteState(caller, id).Execute()
	done(err, answer, 204)
}

// What a refused call was answered, as its type.
func refused(err error, status int32, code statehouse.ProblemCode) statehouse.Problem {
	var failure *statehouse.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(fmt.Sprintf("not refused: %s, but %v", code, err))
	}
	problem, ok := failure.Model().(statehouse.Problem)
	if !ok {
		panic(fmt.Sprintf("no problem: %s", failure.Body()))
	}
	same(problem.Code, code)
	same(problem.Status, status)
	return problem
}

func done(err error, answer *http.Response, status int) {
	if err != nil {
		panic(err)
	}
	same(answer.StatusCode, status)
}

func same(found, wanted interface{}) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("%#v, not %#v", found, wanted))
	}
}
