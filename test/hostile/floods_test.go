package hostile

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// floods are the answers of a server that a tenant chose. The first segment of a path names the answer
// that replaces a list. n is the number of the page.
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
	"loop":      func(int) string { return "[" + strings.Repeat("{},", 49) + "{}]" }, // of a connection that works: the search for lost heads requests it
	"numbers":   func(int) string { return `[{"id":` + strings.Repeat("9", 4<<20) + `}]` },
	"duplicate": func(int) string { return `[{` + strings.Repeat(`"id":1,"name":"a",`, 1<<18) + `"id":1}]` },
	"blank":     func(int) string { return "[]" },                                       // and more pages
	"event":     func(int) string { return "[" + strings.Repeat("{},", 1<<19) + "{}]" }, // of tools: within a stream that hides its texts
	"bare":      func(int) string { return `"x"` },
	"object":    func(int) string { return "{}" },
	"cut":       func(int) string { return `[{"id":1},` },
}

// hostileServer is a code host, a model, a tool server and a tracker in one.
type hostileServer struct {
	*httptest.Server
	mu      sync.Mutex
	longest map[string]time.Duration // by kind, the longest time from an answer until the client was done with it
	asked   map[string]int           // requests, by kind
}

func newHostileServer(t *testing.T) *hostileServer {
	s := &hostileServer{longest: map[string]time.Duration{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// most returns the longest time of all kinds except the slow ones, or of the slow ones only.
func (s *hostileServer) most(slow bool) (name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, d := range s.longest {
		if (trickles[kind] != nil) == slow && d > took {
			name, took = kind, d
		}
	}
	return name, took
}

// requests returns the number of requests for a kind of answer, or for all with "".
func (s *hostileServer) requests(kind string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for of, count := range s.asked {
		if kind == "" || of == kind {
			n += count
		}
	}
	return n
}

// trickles are answers that are so slow that the client has to end them, or whose head never ends.
var trickles = map[string]func(w http.ResponseWriter, r *http.Request){
	"drip": func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	},
	"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"headers": func(w http.ResponseWriter, _ *http.Request) {
		raw(w, "HTTP/1.1 200 OK\r\n", func(n int) string { return fmt.Sprintf("X-%d: %s\r\n", n, strings.Repeat("a", 1000)) })
	},
	"informed": func(w http.ResponseWriter, _ *http.Request) {
		raw(w, "", func(int) string { return "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" })
	},
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"?again="+r.URL.Query().Get("again")+"x", http.StatusFound)
	},
}

// raw writes lines to a connection until the client closes it.
func raw(w http.ResponseWriter, begin string, line func(n int) string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, begin)
	for n := 0; err == nil; n++ {
		_, err = io.WriteString(c, line(n))
	}
}

// ServeHTTP implements [http.Handler].
func (s *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	flood, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[flood]++
		s.longest[flood] = max(s.longest[flood], time.Since(began))
	}()
	answer(w, r)
}

// repository is the repository of the servers that a connection uses.
const repository = `{"id":77,"name":"r","path":"r","full_name":"acme/r","path_with_namespace":"acme/r","default_branch":"main","owner":{"id":3,"login":"acme"},"permissions":{"push":true,"admin":true,"pull":true},"private":true}`

func answer(w http.ResponseWriter, r *http.Request) {
	asked, _ := io.ReadAll(r.Body)
	flood, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	list := func() string { return floods[flood](page) }
	if trickles[flood] != nil {
		list = nil
	}
	body, more, kind := list, "true", "application/json"
	switch { // answers that lead to the lists
	case (flood == "loop" || flood == "drip") && (strings.HasSuffix(path, "/repos") || strings.HasSuffix(path, "/projects")):
		more = "false"
		body = func() string {
			return "[" + repository + "]"
		}
	case strings.HasSuffix(path, "/settings/api"):
		body = func() string { return `{"max_response_items":50}` }
	case strings.HasSuffix(path, "/repos/acme/r"), strings.HasSuffix(path, "/repositories/77"):
		body = func() string { return repository }
	case strings.HasSuffix(path, "/user"):
		body = func() string { return `{"id":5,"login":"bot","username":"bot"}` }
	case strings.HasSuffix(path, "/version"):
		body = func() string { return `{"version":"1.27.0"}` }
	case strings.HasSuffix(path, "/orgs/acme"), strings.HasSuffix(path, "/groups/acme"):
		body = func() string { return `{"id":3,"username":"acme","full_path":"acme"}` }
	case flood == "drip" && r.Method == http.MethodDelete: // a deletion by which the rights of a token are tested
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"not found"}`)
		return
	case strings.Contains(path, "/members/"):
		w.WriteHeader(http.StatusNoContent)
		return
	case flood == "drip" && strings.HasPrefix(path, "api/") && !strings.Contains(path, "/repos/acme/r/"):
		more = "false"
		body = func() string { return "[]" }
	case list == nil:
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
			answer := `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + "}"
			if flood == "event" && m.Method != "initialize" {
				kind, answer = "text/event-stream", ": \"\\\ndata: "+answer+"\n\n"
			}
			return answer
		}
	case strings.HasSuffix(path, "serverInfo"):
		body = func() string { return `{"deploymentType":"Cloud","version":"1"}` }
	case strings.HasSuffix(path, "myself"):
		body = func() string { return `{"accountId":"x","displayName":"x"}` }
	}
	if body == nil {
		trickles[flood](w, r)
		return
	}
	text := body()
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Encoding", "gzip")
	if h.Set("X-HasMore", more); more == "true" {
		h.Set("X-Next-Page", strconv.Itoa(page+1))
	}
	z := gzip.NewWriter(w)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
}
