{{- define "statehouse.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "statehouse.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "statehouse.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "statehouse.selectorLabels" -}}
app.kubernetes.io/name: {{ include "statehouse.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "statehouse.labels" -}}
{{ include "statehouse.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "statehouse.serviceAccount" -}}
{{- default (include "statehouse.fullname" .) .Values.serviceAccount.name }}
{{- end }}

{{- define "statehouse.clickhouseSecret" -}}
{{- if .Values.clickhouse.existingSecret }}
{{- .Values.clickhouse.existingSecret }}
{{- else if .Values.clickhouse.uri }}
{{- printf "%s-clickhouse" (include "statehouse.fullname" . | trunc 52 | trimSuffix "-") }}
{{- else }}
{{- fail "Name a ClickHouse: clickhouse.existingSecret, a secret with clickhouse://user:password@host:8123/database, or clickhouse.uri" }}
{{- end }}
{{- end }}

{{- define "statehouse.scheme" -}}
{{- if .Values.tls.existingSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{- /* A service that answers nobody, or everybody without having been told to, is not installed. */ -}}
{{- define "statehouse.checkAuth" -}}
{{- $jwt := false }}
{{- range $key, $value := .Values.config }}
{{- if hasPrefix "statehouse.auth.jwt" $key }}{{ $jwt = true }}{{ end }}
{{- end }}
{{- if dig "statehouse" "auth" "jwt" "" .Values.config }}{{ $jwt = true }}{{ end }}
{{- if not (or .Values.auth.mode .Values.auth.tokens.existingSecret $jwt) }}
{{- fail "Say who may call: auth.tokens.existingSecret, statehouse.auth.jwt in config, or auth.mode: none" }}
{{- end }}
{{- end }}
