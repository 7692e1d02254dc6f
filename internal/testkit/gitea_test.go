package testkit

import (
	"net/http"
	"testing"
)

// A Gitea of a test answers, keeps its data over a restart, and is gone after the test.
func TestGiteaEndsWithItsTest(t *testing.T) {
	var at string
	var there *daemon
	t.Run("one", func(t *testing.T) {
		s := GiteaServer(t, "")
		at, there = s.URL, s.daemon
		s.Flush()
		s.Stop()
		s.Start()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/user", nil)
		must(t, err)
		req.Header.Set("Authorization", "token "+s.Token)
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		Equal(t, "status", resp.StatusCode, http.StatusOK)
	})
	if there == nil {
		return // Gitea is not installed
	}
	if resp, err := http.Get(at + "/api/healthz"); err == nil {
		_ = resp.Body.Close()
		t.Error("it still answers")
	}
}
