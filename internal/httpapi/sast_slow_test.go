package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// sendSlowly begins an upload whose body never ends, and returns the status and the body of the answer.
func (w *world) sendSlowly(token string) (status int, body string, err error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	if err != nil {
		return 0, "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "POST %s/sast-runs?headSha=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/sarif+json\r\n"+
		"Content-Length: 5000\r\n\r\n{\"version\":", w.repo(), strings.Repeat("ab", 20), strings.TrimPrefix(w.base, "http://"), token)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// Slow senders of a tenant take two places. The others learn that the service is busy, a sender that was cut off learns why, and uploads
// of other tenants and all other requests are served.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) {
		o.Features.Upload.Wait, o.Features.Upload.Arrive = 100*time.Millisecond, 2*time.Second
	})
	w.role(member, w.Repository, "review")
	token := w.scoped(member, "sast:upload")
	var other tenant.McpTokenMade
	w.made(&other, stranger, "/api/tenants/"+w.other.Tenant.ID+"/mcp-tokens", strings.Replace(tokenBody(domain.NewID("tok"), time.Hour),
		`["reviews:read"]`, string(store.JSON([]string{"sast:upload"})), 1))
	type end struct {
		status int
		body   string
		err    error
	}
	const senders = 20
	ends := make(chan end, senders)
	for range senders {
		go func() {
			var e end
			e.status, e.body, e.err = w.sendSlowly(token)
			ends <- e
		}()
	}
	byStatus := map[int]int{}
	read := func() {
		e := <-ends
		testkit.OK(t, e.err)
		byStatus[e.status]++
		switch e.status {
		case http.StatusServiceUnavailable:
			if !strings.Contains(e.body, `"busy"`) || !strings.Contains(e.body, "Upload the document again in a minute.") {
				t.Error(e.body)
			}
		default:
			if !strings.Contains(e.body, `"too_slow"`) || !strings.Contains(e.body, "The body did not arrive in time.") {
				t.Errorf("%d %s", e.status, e.body)
			}
		}
	}
	for range senders - 2 {
		read()
	}
	got := w.upload(other.Secret, "/api/tenants/"+w.other.Tenant.ID+"/repositories/"+w.other.Repository.ID, strings.Repeat("cd", 20), sarifOf("gosec"))
	testkit.Equal(t, "another tenant: "+got.body, got.status, http.StatusCreated)
	testkit.Equal(t, "another request", w.call(member, http.MethodGet, w.repo()+"/sast-runs", "").status, http.StatusOK)
	read()
	read()
	testkit.Equal(t, "busy", byStatus[http.StatusServiceUnavailable] <= senders-2, true)
	testkit.Equal(t, "cut off or busy", byStatus[http.StatusServiceUnavailable]+byStatus[http.StatusBadRequest], senders)
	got = w.upload(token, w.repo(), strings.Repeat("ab", 20), sarifOf("gosec"))
	testkit.Equal(t, "after the slow ones: "+got.body, got.status, http.StatusCreated)
}
