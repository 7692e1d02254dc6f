package tracker_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/tracker"
	"github.com/assay-dev/assay/sim/tracker/simapi"
	"github.com/assay-dev/assay/sim/tracker/simclient"
)

func start(t *testing.T, opt tracker.Options) (*tracker.Server, *simclient.Client) {
	t.Helper()
	srv, err := tracker.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return srv, simclient.New(web.URL, srv.ControlToken())
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	resp := must(http.DefaultClient.Do(req))(t)
	body := must(io.ReadAll(resp.Body))(t)
	_ = resp.Body.Close() // it was read
	return resp, string(body)
}

// TestPagesAndState: a person sees an issue with its comments and links, without active content, and
// still sees them after a restart.
func TestPagesAndState(t *testing.T) {
	for dialect, text := range map[simapi.Dialect]string{
		simapi.Linear:      "Pay **out** <script>alert(1)</script>",
		simapi.AzureBoards: "<p>Pay <b onclick=x()>out</b></p><script>alert(1)</script>",
		simapi.JiraServer:  "Pay *out* <script>alert(1)</script>",
		simapi.JiraCloud:   `{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Pay out <script>alert(1)</script>"}]}]}`,
	} {
		t.Run(string(dialect), func(t *testing.T) {
			dir, ctx := t.TempDir(), t.Context()
			srv, c := start(t, tracker.Options{Dialect: dialect, DataDir: dir})
			ann := must(c.NewAccount(ctx, simapi.AccountSpec{Name: "Ann"}))(t)
			if err := c.NewProject(ctx, simapi.ProjectSpec{Key: "PAY", Name: "Pay"}); err != nil {
				t.Fatal(err)
			}
			made := must(c.NewIssue(ctx, simapi.IssueSpec{Project: "PAY", Title: "Pay out <b>now</b>", Text: text}))(t)
			must(c.Comment(ctx, made.Key, simapi.CommentSpec{Account: ann.ID, Text: text}))(t)
			if err := c.Link(ctx, made.Key, simapi.Link{URL: "https://github.com/a/b/pull/1", Title: "A pull request"}); err != nil {
				t.Fatal(err)
			}
			if err := srv.Close(); err != nil {
				t.Fatal(err)
			}
			srv, c = start(t, tracker.Options{Dialect: dialect, DataDir: dir})
			t.Cleanup(func() {
				if err := srv.Close(); err != nil {
					t.Error(err)
				}
			})
			made = must(c.Issue(ctx, made.Key))(t)
			resp, body := get(t, made.URL)
			for _, want := range []string{"Pay out &lt;b&gt;now", "Ann", "A pull request", "https://github.com/a/b/pull/1"} {
				if !strings.Contains(body, want) {
					t.Errorf("the page has no %q:\n%s", want, body)
				}
			}
			if strings.Contains(body, "<script") || strings.Contains(body, "onclick") || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("the page may run something:\n%s", body)
			}
			if _, list := get(t, c.BaseURL()+"/"); !strings.Contains(list, made.Key) {
				t.Errorf("the list has no %s:\n%s", made.Key, list)
			}
			if resp, _ := get(t, c.BaseURL()+"/browse/NO-1"); resp.StatusCode != http.StatusNotFound {
				t.Errorf("status %d of no issue", resp.StatusCode)
			}
		})
	}
}

// TestDeliveries: a repeated delivery is the same, byte for byte.
func TestDeliveries(t *testing.T) {
	ctx := t.Context()
	var clock atomic.Int64
	clock.Store(1_790_000_000_000)
	srv, c := start(t, tracker.Options{Dialect: simapi.Linear, DataDir: t.TempDir(), Now: func() time.Time { return time.UnixMilli(clock.Load()) }})
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	bodies := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			raw = []byte(err.Error())
		}
		bodies <- r.Header.Get("Linear-Delivery") + r.Header.Get("Linear-Signature") + string(raw)
	}))
	t.Cleanup(receiver.Close)
	for _, err := range []error{c.NewProject(ctx, simapi.ProjectSpec{Key: "PAY"}), c.NewHook(ctx, simapi.HookSpec{URL: receiver.URL, Secret: "x"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.NewIssue(ctx, simapi.IssueSpec{Project: "PAY", Title: "Pay"}))(t)
	if err := c.WaitDeliveries(ctx, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	list := must(c.Deliveries(ctx, true))(t)
	if len(list) != 1 || !list[0].Done || list[0].StatusCode != http.StatusOK || list[0].Event != "issue.create" {
		t.Fatalf("deliveries %+v", list)
	}
	if err := srv.Resend(ctx, list[0].ID); err != nil {
		t.Fatal(err)
	}
	if first, again := <-bodies, <-bodies; first != again {
		t.Errorf("first %s\nagain %s", first, again)
	}
	if err := c.Configure(ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.FreshTimestamp: true}}); err != nil {
		t.Fatal(err)
	}
	clock.Add(time.Hour.Milliseconds())
	if err := srv.Resend(ctx, list[0].ID); err != nil {
		t.Fatal(err)
	}
	if withCurrentTime := <-bodies; !strings.Contains(withCurrentTime, strconv.FormatInt(clock.Load(), 10)) {
		t.Errorf("an hour later: %s", withCurrentTime)
	}
}

func TestRefusesWhatIsWrong(t *testing.T) {
	for name, opt := range map[string]tracker.Options{"dialect": {DataDir: t.TempDir()}, "folder": {Dialect: simapi.Linear}, "doubt": {Dialect: simapi.Linear, DataDir: t.TempDir(), Doubts: []simapi.Doubt{"no"}}} {
		if srv, err := tracker.New(opt); err == nil {
			t.Errorf("%s: no error", name)
			_ = srv.Close() // the test has failed already
		}
	}
	srv, c := start(t, tracker.Options{Dialect: simapi.JiraCloud, DataDir: t.TempDir()})
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := t.Context()
	if _, err := c.NewIssue(ctx, simapi.IssueSpec{Project: "NO", Title: "x"}); err == nil {
		t.Error("an issue of no project")
	}
	if _, err := c.NewApp(ctx, simapi.AppSpec{Redirect: "https://a.example"}); err == nil {
		t.Error("an app of Jira")
	}
	if _, err := simclient.New(c.BaseURL(), "wrong").Issue(ctx, "A-1"); err == nil {
		t.Error("a wrong control token")
	}
}
