package hostile

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/test/site"
)

// floods are the answers of a server that a tenant chose. The first segment of a path names
// the one that the server gives in place of a list; n is the number of the page.
var floods = map[string]func(n int) string{
	"empty":   func(int) string { return "[" + strings.Repeat("{},", 4<<20/3) + "{}]" },
	"null":    func(int) string { return "[" + strings.Repeat("null,", 1<<20) + "null]" },
	"nested":  func(int) string { return strings.Repeat(`[{"a":`, 1<<20) },
	"members": func(int) string { return "{" + strings.Repeat(`"a":0,`, 1<<20) + `"b":0}` },
	"inside":  func(int) string { return `[{"id":1,"labels":[` + strings.Repeat("{},", 1<<20) + `{}]}]` },
	"text":    func(int) string { return `[{"id":1,"name":"` + strings.Repeat("a", 48<<20) + `"}]` },
	"space":   func(int) string { return "[" + strings.Repeat(" ", 64<<20) },
	"long": func(n int) string {
		return "[" + strings.Repeat(fmt.Sprintf(`{"id":%d,"name":"r","title":"%s"},`, n, strings.Repeat("a", 60_000)), 49) + "{}]"
	},
	"many": func(n int) string {
		var b strings.Builder
		for i := range 50 {
			fmt.Fprintf(&b, `,{"id":%d,"name":"r%[1]d","full_name":"acme/r%[1]d","owner":{"id":3,"login":"acme"}}`, n*50+i)
		}
		return "[" + b.String()[1:] + "]"
	},
	"loop":   func(int) string { return "[" + strings.Repeat("{},", 49) + "{}]" }, // of a connection that works: the search for lost heads asks it
	"bare":   func(int) string { return `"x"` },
	"object": func(int) string { return "{}" },
	"cut":    func(int) string { return `[{"id":1},` },
}

// hostileServer is a code host, a model, a tool server and a tracker at once.
func hostileServer(w http.ResponseWriter, r *http.Request) {
	asked, _ := io.ReadAll(r.Body)
	flood, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	list := func() string { return floods[flood](page) }
	body, more := list, "true"
	switch { // what leads on to the lists
	case flood == "loop" && (strings.HasSuffix(path, "/repos") || strings.HasSuffix(path, "/projects")):
		more = "false"
		body = func() string {
			return `[{"id":77,"name":"r","path":"r","full_name":"acme/r","path_with_namespace":"acme/r","default_branch":"main","owner":{"id":3,"login":"acme"},"permissions":{"push":true,"admin":true,"pull":true},"private":true}]`
		}
	case strings.HasSuffix(path, "/user"):
		body = func() string { return `{"id":5,"login":"bot","username":"bot"}` }
	case strings.HasSuffix(path, "/version"):
		body = func() string { return `{"version":"1.27.0"}` }
	case strings.HasSuffix(path, "/orgs/acme"), strings.HasSuffix(path, "/groups/acme"):
		body = func() string { return `{"id":3,"username":"acme","full_path":"acme"}` }
	case strings.HasSuffix(path, "/chat/completions"):
		body = func() string { return `{"choices":` + list() + "}" }
	case strings.HasSuffix(path, "/models"):
		body = func() string { return `{"data":` + list() + "}" }
	case strings.HasPrefix(path, "tools"):
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(asked, &m)
		body = func() string {
			result := `{"tools":` + list() + `,"nextCursor":"x"}`
			if m.Method == "initialize" {
				result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
			}
			return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + "}"
		}
	case strings.HasSuffix(path, "serverInfo"):
		body = func() string { return `{"deploymentType":"Cloud","version":"1"}` }
	case strings.HasSuffix(path, "myself"):
		body = func() string { return `{"accountId":"x","displayName":"x"}` }
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Encoding", "gzip")
	if h.Set("X-HasMore", more); more == "true" {
		h.Set("X-Next-Page", strconv.Itoa(page+1))
	}
	z := gzip.NewWriter(w)
	_, _ = io.WriteString(z, body())
	_ = z.Close()
}

// Servers that a tenant chose answer the service's questions with floods: the process lives,
// its memory stays bounded, and health is answered.
func TestHostileServers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(hostileServer))
	t.Cleanup(server.Close)
	heading("servers that a tenant chose: each kind of answer to five kinds of question at once")
	g := startWith(t, func(env map[string]string) {
		env["ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS"] += "," + strings.TrimPrefix(server.URL, "http://")
	})
	boss := g.site.Admin()
	rows, err := g.site.Query(t.Context(), `SELECT id FROM tenants`)
	testkit.OK(t, err)
	tenant := "/api/tenants/" + rows[0][0]
	until := time.Now()
	if full() {
		until = until.Add(10 * time.Minute)
	}
	for round := 0; round == 0 || time.Now().Before(until); round++ {
		for flood := range floods {
			if !full() && !slices.Contains([]string{"empty", "members", "long"}, flood) {
				continue
			}
			var all sync.WaitGroup
			places := make(chan struct{}, 3) // more of a tenant are refused
			for n, question := range questions {
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					question(boss, tenant, server.URL+"/"+flood, fmt.Sprintf("%s %d.%d", flood, round, n))
				})
			}
			h := g.probe(5)
			all.Wait()
			g.check(flood, h, 384)
		}
	}
}

// questions ask a server by a request of the interface, each on its own. What is answered is
// not looked at: that there is an answer is enough.
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
}

// connect makes a connection, asks its host, and keeps it only where the search for lost heads shall ask it later.
func connect(p *site.Person, tenant, kind, at, name string) {
	it := made(p, tenant+"/provider-connections", map[string]any{"kind": kind, "name": name, "baseUrl": at, "owner": "acme", "token": "a-token" + "-of-a-test", "repositories": "all", "registerWebhooks": false})
	p.Try(http.MethodPost, tenant+"/provider-connections/"+it+"/test", "", "")
	if name != "loop 0.0" && name != "loop 0.1" {
		p.Try(http.MethodDelete, tenant+"/provider-connections/"+it, "", "")
	}
}

// made returns the id of what a request made.
func made(p *site.Person, path string, in any) string {
	body, _ := json.Marshal(in)
	var out struct{ ID string }
	_, raw := p.Try(http.MethodPost, path, "application/json", string(body))
	_ = json.Unmarshal(raw, &out)
	return out.ID
}
