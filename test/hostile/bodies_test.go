package hostile

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// post sends a body as a delivery, signed or with a wrong signature, and returns the status, 0 if there
// was no answer.
func (g *target) post(client *http.Client, guid, key string, body []byte) int {
	req, err := http.NewRequest(http.MethodPost, g.site.URL("/webhooks/codehost"), bytes.NewReader(body))
	if err != nil {
		g.Error(err)
		return 0
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	for name, value := range map[string]string{"Content-Type": "application/json", "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": guid,
		"X-GitHub-Hook-Installation-Target-Type": "integration", "X-GitHub-Hook-Installation-Target-ID": strconv.FormatInt(g.site.App.ID, 10),
		"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil))} {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0 // a refusal may end the connection while the body is sent
	}
	defer res.Body.Close()
	return res.StatusCode
}

// payload is the JSON of an event of about size bytes that has no effect.
func payload(size int) []byte {
	return []byte(`{"action":"none","text":"` + strings.Repeat("x", size-30) + `"}`)
}

// Many large bodies arrive at the same time: signed by strangers, signed by the app, and held back.
func TestLargeBodiesAtOnce(t *testing.T) {
	count, size := sized(12, 200), sized(2<<20, 25<<20-1)
	flight, bound := sized(8, 128), sized(128, 700)
	heading(fmt.Sprintf("%d bodies of %d MiB at once; %d MiB may be in flight", count, (size+1)>>20, flight))
	g := start(t, map[string]string{"ASSAY_INGEST_IN_FLIGHT": fmt.Sprintf("%dMiB", flight), "ASSAY_INGEST_MAX_BODY": fmt.Sprintf("%dMiB", (size+1)>>20)})
	body := payload(size)
	for _, c := range []struct{ name, key string }{{"signed by strangers", "another secret"}, {"signed by the app", g.site.Secret}} {
		statuses := g.atOnce(count, c.key, body)
		if accepted := statuses.by[http.StatusAccepted].Load(); (accepted > 0) != (c.key == g.site.Secret) {
			t.Errorf("%s: %d were accepted", c.name, accepted)
		}
		g.check("large bodies "+c.name+statuses.String(), statuses.health, bound)
	}
	all := &held{}
	defer all.release()
	g.stall(all, count, g.announced(size)+string(body[:size-100]))
	h := g.probe(sized(5, 20))
	client := &http.Client{Timeout: 20 * time.Second}
	testkit.Equal(t, "an ordinary delivery meanwhile", g.post(client, "ordinary", g.site.Secret, payload(16<<10)), http.StatusAccepted)
	g.check("large bodies whose last bytes are held back", h, bound)
}

// counts are the statuses of answers.
type counts struct {
	by [600]atomic.Int64
	health
}

func (c *counts) String() (out string) {
	for status := range c.by {
		if n := c.by[status].Load(); n > 0 {
			out += fmt.Sprintf(", %d × %d", n, status)
		}
	}
	return out
}

// atOnce sends a body many times at the same time, and probes meanwhile.
func (g *target) atOnce(count int, key string, body []byte) *counts {
	client := &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	out := &counts{}
	var sending sync.WaitGroup
	for i := range count {
		sending.Go(func() { out.by[g.post(client, fmt.Sprintf("large-%s-%d", key[:3], i), key, body)].Add(1) })
	}
	out.health = g.probe(sized(5, 20))
	sending.Wait()
	return out
}
