package answers

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// id is a commit, and the value of every parameter that is a name.
const id = "0123456789abcdef0123456789abcdef01234567"

// members are the members that objects of all servers have, so that a method makes its next request.
// %[1]d is a number.
const members = `"id":%[1]d,"iid":7,"number":7,"index":%[1]d,"node_id":"x","login":"octo","username":"octo","name":"octo","path":"demo","slug":"demo","full_path":"octo",
"path_with_namespace":"octo/demo%[1]d","full_name":"octo/demo","token":"x","expires_at":"2100-01-01T00:00:00Z","version":"1.27.0","max_response_items":50,"state":"open","status":"completed",
"sha":"` + id + `","head_commit_sha":"` + id + `","url":"https://assay.example","html_url":"https://x.example/octo/demo#issuecomment-1","body":"x","note":"x","visibility":"private","access_level":30,"permission":"write",
"diff_refs":{"base_sha":"` + id + `","head_sha":"` + id + `","start_sha":"` + id + `"},"head":{"sha":"` + id + `","ref":"` + id + `"},"commit":{"id":"` + id + `","sha":"` + id + `"},"object":{"sha":"` + id + `"},
"owner":{"id":5,"login":"octo"},"user":{"id":5,"login":"octo"},"author":{"id":5,"username":"octo"},"namespace":{"id":3,"kind":"group","full_path":"octo"},"code_comments_count":1,"key":"PAY-%[1]d","accountId":"x","displayName":"x",
"uuid":"{%[1]d}","nickname":"octo","type":"user","hash":"` + id + `","source":{"commit":{"hash":"` + id + `"}},"destination":{"commit":{"hash":"` + id + `"}},
"fields":{},"delivered_at":"2100-01-01T00:00:00Z","authenticatedUser":{"id":"x"}`

// lists are the members in which servers put the entries of a list.
var lists = strings.Fields(`data items values value issues workItems comments repositories workflow_runs jobs check_runs installations choices content output embedding
	modelSummaries inferenceProfileSummaries keys diffs commits notes labels assignees reviewers topics files`)

// good returns an object that leads to the next request.
func good(n int) string { return "{" + fmt.Sprintf(members, n) + "}" }

// wrapped returns an object whose lists all have some entries.
func wrapped(entries string) string {
	var b strings.Builder
	b.WriteString("{" + fmt.Sprintf(members, 5))
	for _, name := range lists {
		b.WriteString(`,"` + name + `":[` + entries + "]")
	}
	b.WriteString("}")
	return b.String()
}

func times(part string, n int) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }

// hostile are answers to one request. asked is the number of requested entries.
var hostile = map[string]func(page, asked int) string{
	"empty entries":          always("[" + times("{}", 1<<20) + "]"),
	"empty entries in lists": always(wrapped(times("{}", 100_000))),
	"null entries":           always("[" + times("null", 1<<20) + "]"),
	"nested":                 always(strings.Repeat(`[{"a":`, 1<<18)),
	"lists in an entry":      always("[" + wrapped(times("{}", 20_000)) + "]"),
	"members":                always("{" + times(`"a":0`, 1<<20) + "}"),
	"a page too long":        func(page, asked int) string { return "[" + times(good(page), asked+1) + "]" },
	"pages without an end":   pages(func(n int) string { return good(n) }),
	"empty pages":            always("[]"),
	// The texts of one page are made once, because the server's own memory is not measured.
	"pages of long texts": pages(func(n int) string {
		return fmt.Sprintf(`{`+members+`,"title":"%[2]s","description":"%[2]s"}`, n, strings.Repeat("é", 5_000))
	}),
	"one long text":             always(`{"data":"` + strings.Repeat("a", 32<<20) + `"}`),
	"a text that just fits":     always(strings.Repeat("a\n", 8<<20-1)),
	"JSON that just fits":       always(`{"data":"` + strings.Repeat("é", 4<<20-4<<10) + `"}`),
	"objects for lists":         func(page, _ int) string { return good(page) },
	"GraphQL that never ends":   func(page, _ int) string { return graphQL(page) },
	"an answer that never ends": always("[" + strings.Repeat(" ", 64<<20)),
}

func always(body string) func(page, asked int) string {
	return func(int, int) string { return body }
}

func pages(entry func(n int) string) func(page, asked int) string {
	return func(page, asked int) string {
		var b strings.Builder
		b.WriteString("[")
		for i := range asked {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(entry(page*1000 + i))
		}
		return b.String() + "]"
	}
}

func graphQL(page int) string {
	info := fmt.Sprintf(`"pageInfo":{"hasNextPage":true,"endCursor":"%[1]d","hasPreviousPage":true,"startCursor":"%[1]d"}`, page)
	nodes := times(`{"key":"ENG","name":"x","id":"x","body":"x","line":1,"path":"a","comments":{"nodes":[{"body":"`+strings.Repeat("x", 50_000)+`"}]},"issue":{"identifier":"ENG-1"}}`, 100)
	list := `{"nodes":[` + nodes + "]," + info + "}"
	return `{"data":{"teams":` + list + `,"issues":` + list + `,"attachmentsForURL":` + list + `,"issue":{"comments":` + list + `,"identifier":"ENG-1"},"viewer":{"id":"x"},
		"repository":{"pullRequest":{"reviewThreads":` + list + `}}}}`
}

// server answers the first requests of a method with valid answers, and the others with hostile ones.
type server struct {
	*httptest.Server
	limit        int // bounds the requests of a method that does not stop: the memory kept until then is measured
	mu           sync.Mutex
	well, asked  int
	answer       func(page, asked int) string
	instead      http.HandlerFunc // answers instead of answer; nil for none
	before, most uint64           // bytes of live memory at the start, and the largest number seen
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// begin makes the server ready for a method.
func (s *server) begin(well int, answer func(page, asked int) string) {
	live := liveMemory()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.well, s.asked, s.answer, s.before, s.most = well, 0, answer, live, live
}

// look measures the kept memory.
func (s *server) look() {
	live := liveMemory()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = max(s.most, live)
}

// grown returns the largest growth of kept memory in MiB.
func (s *server) grown() int { return int(s.most-s.before) >> 20 }

func liveMemory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// ServeHTTP implements [http.Handler].
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	n, answer := s.asked, s.answer
	well := n <= s.well
	s.mu.Unlock()
	if n%(s.limit/2) == 0 {
		s.look()
	}
	query := r.URL.Query()
	page := max(number(query.Get("page")), n)
	head := w.Header()
	head.Set("Content-Type", "application/json")
	switch {
	case well:
		body := good(5)
		if query.Has("per_page") || query.Has("limit") || query.Has("page") {
			body = "[" + body + "]"
		}
		_, _ = w.Write([]byte(body))
		return
	case n > s.limit:
		w.WriteHeader(http.StatusForbidden)
		return
	case s.instead != nil:
		s.instead(w, r)
		return
	}
	head.Set("X-HasMore", "true")
	head.Set("X-Next-Page", strconv.Itoa(page+1))
	query.Set("page", strconv.Itoa(page+1))
	query.Set("cursor", strconv.Itoa(page+1))
	head.Set("Link", fmt.Sprintf(`<http://%s%s?%s>; rel="next"`, r.Host, r.URL.Path, query.Encode()))
	asked := max(number(query.Get("per_page")), number(query.Get("limit")), number(query.Get("maxResults")), number(query.Get("$top")))
	_, _ = io.WriteString(w, answer(page, max(asked, 1)))
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func TestMain(m *testing.M) { testkit.Main(m) }
