package mcpclient_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// echoes has the forms in which a server may repeat a credential.
func echoes(key string) map[string]string {
	quoted, _ := json.Marshal(key)
	return map[string]string{
		"as it is":                key,
		"as a header":             "X-Api-Key: " + key,
		"in JSON":                 `{"headers":{"x-api-key":` + string(quoted) + `}}`,
		"in an address":           "https://x.example/?key=" + url.QueryEscape(key),
		"in hexadecimal":          hex.EncodeToString([]byte(key)),
		"in base64":               base64.StdEncoding.EncodeToString([]byte(key)),
		"in base64 of an address": base64.RawURLEncoding.EncodeToString([]byte(key)),
		"in base64 amid text":     base64.StdEncoding.EncodeToString([]byte("user:" + key + "\nx")),
		"with hidden characters":  strings.Join(strings.Split(key, ""), "\u200b"),
	}
}

// readable reports whether a text reveals a secret.
func readable(text, key string) bool {
	for _, form := range echoes(key) {
		if strings.Contains(text, strings.TrimRight(form, "=")) {
			return true
		}
	}
	// Within base64, the middle of the secret is at one of three offsets.
	for i := range 3 {
		if strings.Contains(text, base64.RawStdEncoding.EncodeToString([]byte(key)[i:i+12])) {
			return true
		}
	}
	return strings.Contains(text, key[:len(key)/2])
}

// The credential that a server receives does not appear in any of its results.
func TestAServersOwnSecretDoesNotComeBack(t *testing.T) {
	t.Parallel()
	key := "k&y/+" + strings.Repeat("Qx7<", 8)
	for name, echo := range echoes(key) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("é", mcpclient.MaxResult-10) + echo // the cut is within the echo
			content := func(s string) any {
				return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
			}
			described := map[string]any{"type": "object", "description": "Sent by " + echo, "properties": map[string]any{"q": map[string]any{"type": "string", "description": echo}}}
			tools := []any{map[string]any{"name": "look", "description": "Ask with " + echo, "inputSchema": described},
				map[string]any{"name": "fixed", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"enum": []any{echo}}}}}}
			answer := content(echo)
			u, f := serve(t, rpc(map[string]func(json.RawMessage) any{"initialize": initialized, "tools/list": func(json.RawMessage) any { return map[string]any{"tools": tools} },
				"tools/call": func(json.RawMessage) any { return answer }}))
			s := mcpclient.Server{URL: u, Header: "X-Api-Key", Value: secret.New(key)}
			got, err := mcpclient.List(t.Context(), f, s, 10*time.Second)
			testkit.OK(t, err)
			for _, tool := range got.Tools {
				if all := tool.Name + tool.Description + string(tool.Schema.JSON); readable(all, key) {
					t.Errorf("listed: %s", all)
				}
			}
			testkit.Equal(t, "tools", len(got.Tools), 2)
			for _, answer = range []any{content(echo), content(text), map[string]any{"content": []any{}, "structuredContent": map[string]any{"sent": echo}}} {
				got, err := mcpclient.Call(t.Context(), f, s, "look", json.RawMessage(`{}`), 10*time.Second)
				testkit.OK(t, err)
				if readable(got.Text, key) {
					t.Errorf("answered: %.200s", got.Text)
				}
			}
		})
	}
	t.Run("as the name of a tool", func(t *testing.T) {
		t.Parallel()
		u, f := serve(t, rpc(map[string]func(json.RawMessage) any{"initialize": initialized, "tools/list": listOf("plain", "ask_"+toolToken)}))
		got, err := mcpclient.List(t.Context(), f, mcpclient.Server{URL: u, Header: "Authorization", Value: secret.New("Bearer " + toolToken)}, 10*time.Second)
		testkit.OK(t, err)
		if len(got.Tools) != 1 || got.Skipped != 1 {
			t.Errorf("%+v", got)
		}
	})
}

var toolToken = "t00l-" + strings.Repeat("Qx7", 10)

// A server's text in an error is short and clean in our error, and is not logged.
func TestErrorsOfServersStayOutOfLogs(t *testing.T) {
	t.Parallel()
	long := "line 1\nline \x1b[31m2 \u202e " + toolToken + " " + base64.StdEncoding.EncodeToString([]byte(toolToken)) + strings.Repeat(" canary", 200_000)
	u, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": in.ID, "error": map[string]any{"code": -32000, "message": long}}
		if in.Method == "initialize" {
			answer = map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": initialized(nil)}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	s := mcpclient.Server{URL: u, Header: "Authorization", Value: secret.New("Bearer " + toolToken)}
	_, listing := mcpclient.List(t.Context(), f, s, 10*time.Second)
	_, calling := mcpclient.Call(t.Context(), f, s, "look", json.RawMessage(`{}`), 10*time.Second)
	for _, err := range []error{listing, calling} {
		e, ok := errors.AsType[*mcpclient.Error](err)
		if !ok {
			t.Fatalf("%v", err)
		}
		if text := fmt.Sprintf("%v %+v", err, *e); len(text) > 2000 || readable(text, toolToken) || strings.ContainsAny(text, "\n\x1b\u202e") {
			t.Errorf("the text of the error has %d bytes: %.300q", len(text), text)
		}
		var out strings.Builder
		telemetry.NewLogger(&out, telemetry.LogOptions{}).Warn("a tool server did not answer", "error", errors.Join(errors.New("no answer"), err))
		if logged := out.String(); strings.Contains(logged, "canary") || strings.Contains(logged, "line") || !strings.Contains(logged, e.Message) {
			t.Errorf("logged %.300s", logged)
		}
	}
}
