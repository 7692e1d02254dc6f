package problem

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err        error
		status     int
		want, deny string
		retryAfter string
	}{
		"unknown errors reveal nothing":  {err: errors.New("dial tcp 10.0.0.1: password wrong"), status: 500, want: `"requestId":"req_1"`, deny: "10.0.0.1"},
		"internal errors reveal nothing": {err: errs.New(errs.Internal, "bug", "inner detail"), status: 500, want: `"code":"bug"`, deny: "inner detail"},
		"causes stay inside":             {err: errs.Wrap(errors.New("pq: secret"), errs.Conflict, "busy", "Somebody else decided."), status: 409, want: "Somebody else decided.", deny: "pq: secret"},
		"absent has no request id":       {err: errs.Absent(), status: 404, want: `"code":"not_found"`, deny: "requestId"},
		"unavailable with a time":        {err: errs.Down(nil, "database", 1500*time.Millisecond), status: 503, want: "database", retryAfter: "2"},
		"fields": {err: &errs.Error{Kind: errs.Invalid, Message: "Two fields are wrong.", Fields: []errs.Field{{Pointer: "/name", Message: "must not be empty"}}},
			status: 422, want: `"errors":[{"pointer":"/name","message":"must not be empty"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			Write(w, tc.err, "req_1")
			body := w.Body.String()
			if w.Code != tc.status || !strings.Contains(body, tc.want) {
				t.Fatalf("%d %s", w.Code, body)
			}
			if tc.deny != "" && strings.Contains(body, tc.deny) {
				t.Fatalf("the answer shows %q: %s", tc.deny, body)
			}
			if got := w.Header().Get("Retry-After"); got != tc.retryAfter {
				t.Fatalf("Retry-After %q, want %q", got, tc.retryAfter)
			}
		})
	}
}
