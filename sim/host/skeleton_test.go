package host_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// shelf is the smallest host built on the skeleton: it stores books.
type shelf struct {
	host.Server
	routes host.Routes[route]
	st     *state
}

type state struct {
	host.BaseState
	Books map[int64]string
}

type route struct {
	method, pattern string
	answer          func(*shelf, *host.Call) *host.Reply
}

func open(dir string, version int, doubts ...simapi.Doubt) (*shelf, error) {
	s := &shelf{st: &state{BaseState: host.NewBaseState(version, map[string]int64{"book": 40}), Books: map[int64]string{}}}
	s.routes = host.NewRoutes([]route{
		{"POST", "/books", (*shelf).add}, {"POST", "/keys", (*shelf).add}, {"GET", "/books/{id}", (*shelf).show}, {"GET", "/{rest...}", (*shelf).show},
	}, func(r *route) (string, string) { return r.method, r.pattern })
	err := s.Open(host.Options{DataDir: dir, BaseURL: "http://shelf.test/below/", Doubts: doubts}, host.Kind{Product: "Shelf", Doubts: simapi.Doubts{"odd", "even"},
		DeliveryTimeout: time.Second}, s.st)
	if err != nil {
		return nil, err
	}
	fail := func(status int) *host.Reply { return host.JSON(status, host.Obj{"failed": status}) }
	s.Serve(host.API{MaxBody: 100, Begin: s.begin, TooLarge: func() *host.Reply { return fail(http.StatusRequestEntityTooLarge) }, Fail: fail,
		Head: func(h http.Header, _ *simapi.Request, _ *host.Reply) { h.Set("X-Shelf", "oak") }}, s.Control(),
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeAPI(w, r, r.URL.Path) }))
	return s, nil
}

func (s *shelf) begin(c *host.Call) func() *host.Reply {
	var found *route
	found, c.Vars = s.routes.Find(c.R.Method, c.Path)
	if found == nil {
		c.Note("", "", nil)
		return func() *host.Reply { return host.JSON(http.StatusNotFound, nil) }
	}
	c.Note("ada", found.pattern, []string{"/keys"})
	return func() *host.Reply { return found.answer(s, c) }
}

func (s *shelf) add(c *host.Call) *host.Reply {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	id := s.NewID("book")
	s.st.Books[id] = string(c.Body)
	c.Wrote(simapi.Write{Kind: "book", Verb: "create", ID: id})
	return host.JSON(http.StatusCreated, id)
}

func (s *shelf) show(c *host.Call) *host.Reply {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return host.JSON(http.StatusOK, s.st.Books[c.Number("id")])
}

func (s *shelf) do(method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

// start opens a host that ends with the test.
func start(t *testing.T, doubts ...simapi.Doubt) *shelf {
	t.Helper()
	s, err := open(t.TempDir(), 1, doubts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestAHostKeepsItsState(t *testing.T) {
	dir := t.TempDir()
	s, err := open(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.do("POST", "/books", "Emma").Body.String(); got != "40" {
		t.Errorf("the first book has the id %s, want 40", got)
	}
	token := s.ControlToken()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := open(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.do("GET", "/books/40", "").Body.String(); got != `"Emma"` {
		t.Errorf("the book is %s after a restart", got)
	}
	if got := again.do("POST", "/books", "Persuasion").Body.String(); got != "41" {
		t.Errorf("the second book has the id %s, want 41", got)
	}
	if again.ControlToken() != token {
		t.Error("the control token changed")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(dir, 4); err == nil || !strings.Contains(err.Error(), "version 3, this program needs 4") {
		t.Errorf("a state file of another version: %v", err)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	s := start(t)
	for path, body := range map[string]string{"/books": "Emma", "/keys": "hidden"} {
		if w := s.do("POST", path, body); w.Code != http.StatusCreated || w.Header().Get("X-Shelf") != "oak" || w.Header().Get("Date") == "" {
			t.Errorf("POST %s: %d %v", path, w.Code, w.Header())
		}
	}
	if w := s.do("POST", "/books", strings.Repeat("x", 101)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body above the bound is answered with %d", w.Code)
	}
	if w := s.do("HEAD", "/books/1", ""); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", w.Code, w.Body.Len())
	}
	s.do("DELETE", "/books/1", "")
	var got []string
	for _, r := range s.Requests(0) {
		got = append(got, r.Method+" "+r.Route+" "+r.Actor+" "+r.Body)
	}
	slices.Sort(got)
	want := []string{"DELETE   ", "HEAD /books/{id} ada ", "POST   ", "POST /books ada Emma", "POST /keys ada "}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if writes := s.Writes(0); len(writes) != 2 || writes[0].Actor != "ada" || writes[0].RequestSeq == 0 {
		t.Errorf("writes: %+v", writes)
	}
}

func TestTheControlInterfaceNeedsItsToken(t *testing.T) {
	s := start(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	if _, err := simclient.New(server.URL, "wrong").Faults(t.Context()); err == nil {
		t.Error("a wrong token opens the control interface")
	}
	c := simclient.New(server.URL, s.ControlToken())
	if _, err := c.SetFault(t.Context(), simapi.Fault{Path: "^/books$", Action: simapi.ApplyThenStatus, Status: http.StatusBadGateway}); err != nil {
		t.Fatal(err)
	}
	if w := s.do("POST", "/books", "Emma"); w.Code != http.StatusBadGateway || s.st.Books[40] != "Emma" {
		t.Errorf("the fault answered %d, books %v", w.Code, s.st.Books)
	}
}

func TestDoubtsAreThoseOfTheHost(t *testing.T) {
	if _, err := open(t.TempDir(), 1, "unknown"); err == nil {
		t.Error("an unknown doubt is taken")
	}
	s := start(t, "odd")
	s.Mu.Lock()
	defer s.Mu.Unlock() // before the host is closed
	if err := s.Decide(map[simapi.Doubt]bool{"even": true}); err != nil || !s.On("odd") || !s.On("even") {
		t.Errorf("a doubt that is not named lost its position (%v)", err)
	}
	if err := s.Decide(map[simapi.Doubt]bool{"odd": false}); err != nil || s.On("odd") {
		t.Errorf("the doubt is still on (%v)", err)
	}
	all := simapi.Doubts{"odd", "even"}
	if on, err := all.Parse([]string{"odd=on", "even=on", "odd=off"}); err != nil || !slices.Equal(on, []simapi.Doubt{"even"}) {
		t.Errorf("parsed %v (%v)", on, err)
	}
	for _, bad := range []string{"odd", "odd=yes", "unknown=on"} {
		if _, err := all.Parse([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestPagesOfLists(t *testing.T) {
	list := []int{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		number, size string
		want         []int
		last         int
	}{
		{"", "", []int{1, 2}, 3}, {"3", "", []int{5}, 3}, {"4", "", nil, 3}, {"2", "99", []int{4, 5}, 2}, {"-1", "0", []int{1, 2}, 3}, {"x", "y", []int{1, 2}, 3},
	} {
		p := host.NewSpan(tt.number, tt.size, 2, 3)
		if got := host.Page(p, list); !slices.Equal(got, tt.want) || p.Last(len(list)) != tt.last {
			t.Errorf("page %q of size %q: %v, last %d", tt.number, tt.size, got, p.Last(len(list)))
		}
	}
}
