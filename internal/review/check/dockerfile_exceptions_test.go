package check

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Each case is a new Dockerfile, unless it has an older version. The cases are forms that look like faults and are not, and the faults
// beside them.
func TestExceptionsOfDockerfiles(t *testing.T) {
	t.Parallel()
	const from = "FROM debian:12.7\n"
	at := func(rule string, line int, severity string) string {
		return fmt.Sprintf("assay/docker-%s@%d-%d/line/%s", rule, line, line, severity)
	}
	hex := strings.Repeat("1a", 20)
	const curl = "RUN curl -fsSL https://example.com/i | "
	for name, tt := range map[string]struct{ before, after, want string }{
		"the environment of a builder": {"", "FROM node:22 AS build\nARG NPM_TOKEN\nENV NPM_TOKEN=$NPM_TOKEN\nRUN npm ci\n" +
			"FROM nginx:1.27\nCOPY --from=build /a /b\n", at("secret", 2, "low")},
		"the environment of a parent":       {"", "FROM node:22 AS base\nENV DB_PASSWORD=wonderfulSummer\nFROM base\n", at("secret", 2, "high")},
		"an argument of a parent":           {"", "FROM node:22 AS base\nARG NPM_TOKEN\nFROM base\n", at("secret", 2, "medium")},
		"an argument of a grandparent":      {"", "FROM a:1 AS a\nARG NPM_TOKEN\nFROM a AS b\nFROM x:1 AS c\nFROM b\n", at("secret", 2, "medium")},
		"placeholders of arguments":         {"", from + "ARG API_TOKEN=build\nARG DB_PASSWORD=unused\nARG SECRET_KEY=ignored\nARG A_TOKEN=dummy\n", ""},
		"a switch as an argument":           {"", from + "ARG ALLOW_EMPTY_PASSWORD=true\nARG USE_TOKEN=off\n", ""},
		"a switch in the environment":       {"", from + "ENV VNC_PASSWORD=disabled MYSQL_RANDOM_ROOT_PASSWORD=required\n", ""},
		"a default that is a placeholder":   {"", from + "ARG SECRET_KEY_TOKEN=dummy\nENV SECRET_KEY_TOKEN=$SECRET_KEY_TOKEN\n", ""},
		"a placeholder before FROM":         {"", "ARG API_TOKEN=dummy\n" + from + "ENV API_TOKEN=${API_TOKEN}\n", ""},
		"a default that is a secret":        {"", from + "ARG DB_PASSWORD=wonderfulSummer\n", at("secret", 2, "medium")},
		"the name of a header":              {"", from + "ENV CSRF_TOKEN=X-CSRF-Token-Header\n", ""},
		"a value for browsers":              {"", from + "ARG VITE_API_TOKEN\nARG REACT_APP_API_TOKEN\nENV NEXT_PUBLIC_AUTH_TOKEN=$VITE_API_TOKEN\n", ""},
		"a template":                        {"", "FROM {{ image }}\nFROM <%= image %>\nFROM %IMAGE%\n", ""},
		"a commit by an argument":           {"", from + "ARG COMMIT=" + hex + "\nADD https://github.com/a/b.git#${COMMIT} /x\n", ""},
		"a commit from outside":             {"", from + "ARG COMMIT\nADD https://github.com/a/b.git#$COMMIT:sub /x\n", ""},
		"a tag by an argument":              {"", from + "ARG V=v1\nADD https://github.com/a/b.git#$V /x\n", at("remote-add", 3, "medium")},
		"a checksum in the address":         {"", from + "ADD https://example.com/a?checksum=1a2b3c4d /x\nADD https://github.com/a/b.git?ref=v1&commit=1a2b3c4d /y\n", ""},
		"a newer remote file":               {from + "ADD https://example.com/1.0/a /x\n", from + "ADD https://example.com/1.1/a /x\n", ""},
		"a newer remote file of a new name": {from + "ADD https://example.com/a-1.0 /x-1.0\n", from + "ADD https://example.com/a-1.1 /x-1.1\n", ""},
		"a newer script":                    {from + "RUN curl https://example.com/v1.0/i | sh\n", from + "RUN curl https://example.com/v1.1/i | sh\n", ""},
		"a newer script with its version":   {from + "RUN curl https://a.example/i | V=1.0 sh\n", from + "RUN curl https://b.example/i | V=1.1 sh\n", ""},
		"a shell that only parses":          {"", from + curl + "bash -n\n" + curl + "sh -en\n" + curl + "bash -o noexec\n", ""},
		"a shell with named options":        {"", from + curl + "bash -euo pipefail\n", at("piped-download", 2, "medium")},
		"a shell with a plus":               {"", from + curl + "bash +x -o pipefail -s -- -y\n", at("piped-download", 2, "medium")},
		"a shell with named options, file":  {"", from + curl + "bash -o pipefail x.sh\n", ""},
		"a shell with arguments":            {"", from + curl + "bash -s -- -n\n", at("piped-download", 2, "medium")},
		"a file behind the options":         {"", from + curl + "bash -- x.sh\n", ""},
		"a shell with a time limit":         {"", from + curl + "timeout -k 9 5 bash\n", at("piped-download", 2, "medium")},
		"a copy from an image":              {"", from + "COPY --from=ghcr.io/a/b /x /x\n", at("latest", 2, "low")},
		"a copy from a latest image":        {"", from + "COPY --from=node:latest /x /x\n", at("latest", 2, "low")},
		"copies from other places":          {"", "FROM a:1 AS b/c\n" + from + "COPY --from=0 /x /x\nCOPY --from=src --from=B/C --from=a/b:1 /x /x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, "Dockerfile", tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// allocated returns the bytes that a function allocates in sum. The test must not be parallel.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The review names a costly file as not completely checked and reports a bounded number of faults.
func TestCostOfDockerfiles(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, " TOKEN%d", i)
	}
	for name, tt := range map[string]struct {
		text   string
		unread bool
	}{
		"values":    {"ARG A=" + strings.Repeat("a", 999) + "\nFROM " + strings.Repeat("$A", 100_000) + "\n", false},
		"flags":     {"FROM a:1\nRUN " + strings.Repeat("--a ", 58_000) + strings.Repeat("\\\n", 4900) + "x\n", true},
		"arguments": {"FROM a:1\nARG" + names.String() + "\n", true},
		"addresses": {"FROM a:1\nADD " + strings.Repeat("http://a ", 16_000) + "/x\n", true},
		"escapes":   {"FROM a:1\nADD [" + strings.Repeat(`"http:\/\/a", `, 16_000) + "\"/x\"]\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			var faults []fault
			var unread bool
			cost := allocated(func() { faults, unread = dockerFaults(tt.text) })
			if unread != tt.unread || len(faults) > maxDockerFaults || cost > 64<<20 {
				t.Errorf("%d faults, unread %v, %d bytes", len(faults), unread, cost)
			}
		})
	}
}
