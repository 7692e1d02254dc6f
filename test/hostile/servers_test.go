package hostile

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/test/site"
)

var minutes = flag.Int("minutes", 10, "how long hostile servers are asked in full size")

// Servers that a tenant chose answer the service's requests with floods, slowly or not at all, while
// that tenant sends webhooks that make its worker send requests. The process survives, its memory stays
// bounded, health checks are answered, and the reviews of another tenant start and are published.
func TestHostileServers(t *testing.T) {
	server := newHostileServer(t)
	a := arrange(t, bystanders, func(env map[string]string) {
		env["ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS"] += "," + strings.TrimPrefix(server.URL, "http://")
	})
	a.tenants(bystanders)
	boss := a.site.Admin()
	tenant := "/api/tenants/" + made(boss, "/api/instance/tenants", map[string]any{"name": "mallory", "admin": true})
	l := a.live()
	stop := a.deliver(boss, tenant, server)
	heading("servers that a tenant chose: each kind of answer to six kinds of question at once")
	until := time.Now()
	if full() {
		until = until.Add(time.Duration(*minutes) * time.Minute)
	}
	kinds := slices.Concat(slices.Sorted(maps.Keys(floods)), slices.Sorted(maps.Keys(trickles)))
	for round := 0; round == 0 || time.Now().Before(until); round++ {
		for _, flood := range kinds {
			if !full() && !slices.Contains([]string{"empty", "members", "long", "event", "headers"}, flood) || round > 0 && time.Now().After(until) {
				continue
			}
			before := server.requests(flood)
			var all sync.WaitGroup
			places := make(chan struct{}, 3) // the service refuses more for one tenant
			for n, question := range questions {
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					question(boss, tenant, server.URL+"/"+flood, fmt.Sprintf("%s %d.%d", flood, round, n))
				})
			}
			h := a.probe(5)
			all.Wait()
			a.check(flood, h, 384)
			if now := server.requests(flood); now == before {
				t.Errorf("%s: the server was not asked in round %d", flood, round)
			}
		}
	}
	if !full() { // the attack ends before a bystander has work
		testkit.Eventually(t, site.Patience, func() (bool, string) {
			n := a.count(`SELECT COUNT(*) FROM review_runs r JOIN repositories p ON p.id = r.repository_id WHERE p.name = 'shop'`)
			return n >= 3, fmt.Sprintf("the bystanders have %d runs", n)
		})
	}
	delivered := stop()
	l.end()
	a.over("shop")
	waited := l.served()
	flood, took := server.most(false)
	slow, slowest := server.most(true)
	table := fmt.Sprintf("| what | figure |\n|---|---|\n| requests to hostile servers | %d |\n| webhooks that have a slow server asked | %d |\n| longest answer that was read, but for those that come slowly | %.1f s (%s) |\n"+
		"| longest answer that comes slowly, until the client ended it | %.1f s (%s) |\n", server.requests(""), delivered, took.Seconds(), flood, slowest.Seconds(), slow)
	t.Log("\n" + table)
	if full() {
		fmt.Printf("\n%s\n", table)
		if p95 := percentile(waited, 0.95); p95 > 2*time.Second { // only in make hostile, which measures
			t.Errorf("the bystanders' reviews start in %v at p95, more than 2 s", p95)
		}
	}
}

// deliver makes a connection to the slow server send commands and pull requests until it is stopped.
// Each makes the service send requests to that server. It returns their number.
func (a *arena) deliver(boss *site.Person, tenant string, server *hostileServer) (stop func() int) {
	a.Helper()
	id := made(boss, tenant+"/provider-connections", hostConnection("gitea", server.URL+"/drip", "slow"))
	var key struct{ Secret string }
	boss.Send(http.MethodPost, tenant+"/provider-connections/"+id+"/webhook-secret", nil, http.StatusOK, &key)
	testkit.Eventually(a, site.Patience, func() (bool, string) {
		n := a.count(`SELECT COUNT(*) FROM repositories WHERE owner = 'acme' AND name = 'r' AND state = 'active'`)
		return n == 1, fmt.Sprintf("the slow server has %d repositories", n)
	})
	ctx, cancel := context.WithCancel(a.ctx)
	over := make(chan int)
	client := &http.Client{Timeout: site.Patience}
	go func() {
		sent := 0
		defer func() { over <- sent }()
		for ; ; sent++ {
			pace := time.Second
			if sent < 24 { // more than the slots
				pace = 50 * time.Millisecond
			}
			select {
			case <-time.After(pace):
			case <-ctx.Done():
				return
			}
			if status := slowDelivery(client, a.site.URL("/webhooks/host-e/"+id), key.Secret, sent); status != http.StatusAccepted && ctx.Err() == nil {
				a.Errorf("the delivery %d of the slow server was answered %d", sent, status)
			}
		}
	}()
	return func() int { cancel(); return <-over }
}

// slowDelivery sends a comment with a command, or every fourth time a new pull request.
func slowDelivery(client *http.Client, at, key string, n int) (status int) {
	const repository = `"repository":{"id":77,"name":"r","full_name":"acme/r","default_branch":"main","owner":{"id":3,"login":"acme"},"private":true},"sender":{"id":9,"login":"mallory"}`
	event := "issue_comment"
	body := fmt.Sprintf(`{"action":"created","is_pull":true,"issue":{"id":%[1]d,"number":%[1]d,"user":{"id":9,"login":"mallory"},"pull_request":{"merged":false}},
		"comment":{"id":%[1]d,"html_url":"https://git.example/acme/r/pulls/%[1]d#issuecomment-%[1]d","body":"/assay review","user":{"id":9,"login":"mallory"}},%[2]s}`, n+1, repository)
	if n%4 == 3 {
		event = "pull_request"
		ref := fmt.Sprintf(`{"label":"x","ref":"x","sha":"%040d","repo_id":77,"repo":{"id":77,"name":"r","full_name":"acme/r","default_branch":"main","owner":{"id":3,"login":"acme"},"private":true}}`, n+1)
		body = fmt.Sprintf(`{"action":"opened","number":%[1]d,"pull_request":{"id":%[1]d,"number":%[1]d,"title":"x","state":"open","user":{"id":9,"login":"mallory"},"head":%[3]s,"base":%[3]s,
			"created_at":"2026-11-01T00:00:00Z","updated_at":"2026-11-01T00:00:00Z"},%[2]s}`, n+1, repository, ref)
	}
	r, err := http.NewRequest(http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		return 0
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Gitea-Event": event, "X-Gitea-Delivery": fmt.Sprintf("slow-%d", n), "X-Gitea-Signature": hex.EncodeToString(mac.Sum(nil))} {
		r.Header.Set(name, value)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// questions make the service send requests to a server, each by one request to the interface. The
// answers are ignored, except that they must come.
var questions = []func(p *site.Person, tenant, at, name string){
	func(p *site.Person, tenant, at, name string) { connect(p, tenant, "gitea", at, name) },
	func(p *site.Person, tenant, at, name string) { connect(p, tenant, "gitlab", at, name) },
	func(p *site.Person, tenant, at, name string) {
		key := made(p, tenant+"/llm-credentials", map[string]any{"name": name, "kind": "compatible", "apiKey": "k", "baseUrl": at + "/v1"})
		p.Try(http.MethodGet, tenant+"/llm-credentials/"+key+"/models", "", "")
		p.Try(http.MethodPost, tenant+"/llm-credentials/"+key+"/test", "application/json", `{"model":"m","purpose":"text"}`)
		p.Try(http.MethodDelete, tenant+"/llm-credentials/"+key, "", "")
	},
	func(p *site.Person, tenant, at, name string) {
		tools := made(p, tenant+"/mcp-servers", map[string]any{"name": name, "url": at + "/tools"})
		p.Try(http.MethodPost, tenant+"/mcp-servers/"+tools+"/discover", "", "")
		p.Try(http.MethodDelete, tenant+"/mcp-servers/"+tools, "", "")
	},
	func(p *site.Person, tenant, at, name string) {
		it := made(p, tenant+"/tracker-connections", map[string]any{"kind": "jira", "name": name, "baseUrl": at, "projects": []string{}, "mapping": map[string]any{"doneStates": []string{}, "linkBack": "none"},
			"auth": map[string]any{"kind": "token", "email": "a@example.com", "token": "a-token" + "-of-a-test"}})
		p.Try(http.MethodPost, tenant+"/tracker-connections/"+it+"/test", "", "")
		p.Try(http.MethodDelete, tenant+"/tracker-connections/"+it, "", "")
	},
	func(p *site.Person, tenant, at, name string) {
		channel := made(p, tenant+"/notification-channels", map[string]any{"kind": "webhook", "name": name, "target": at + "/notify", "events": []string{"review.failed", "connection.error"}})
		p.Try(http.MethodPost, tenant+"/notification-channels/"+channel+"/secret", "", "")
		p.Try(http.MethodPost, tenant+"/notification-channels/"+channel+"/test", "", "")
		p.Try(http.MethodDelete, tenant+"/notification-channels/"+channel, "", "")
	},
}

// connect creates a connection, asks its host, and keeps it only if the search for lost heads will use
// it later.
func connect(p *site.Person, tenant, kind, at, name string) {
	it := made(p, tenant+"/provider-connections", hostConnection(kind, at, name))
	p.Try(http.MethodPost, tenant+"/provider-connections/"+it+"/test", "", "")
	if name != "loop 0.0" && name != "loop 0.1" {
		p.Try(http.MethodDelete, tenant+"/provider-connections/"+it, "", "")
	}
}

func hostConnection(kind, at, name string) map[string]any {
	return map[string]any{"kind": kind, "name": name, "baseUrl": at, "owner": "acme", "token": "a-token" + "-of-a-test", "repositories": "all", "registerWebhooks": false}
}

// made creates an object and returns its id.
func made(p *site.Person, path string, in any) string {
	body, _ := json.Marshal(in)
	var out struct{ ID string }
	_, raw := p.Try(http.MethodPost, path, "application/json", string(body))
	_ = json.Unmarshal(raw, &out)
	return out.ID
}
