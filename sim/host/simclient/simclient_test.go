package simclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A simulator that hangs ends the request with an error that names it.
func TestASimulatorThatHangsIsNamed(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer s.Close()
	defer close(over)
	c := New(s.URL, "token")
	c.within = time.Millisecond
	err := c.Do(t.Context(), "GET", "/pulls/a/1/reviews", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "did not answer GET /pulls/a/1/reviews") {
		t.Errorf("the error is %v", err)
	}
	if got, want := New(s.URL, "token").limit("/requests?min=1&timeoutMs=60000"), 90*time.Second; got != want {
		t.Errorf("a request that waits for a minute may take %v, want %v", got, want)
	}
}
