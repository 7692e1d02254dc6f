package jira

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
	host "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func foreign() []string { return []string{"4711", "pay-1", "PAY-0", "PAY-01", "PAY", "PAY-1-2"} }

// document writes a text as a document.
func document(paragraph, one, two, code string) string {
	word := func(s string) map[string]any { return map[string]any{"type": "text", "text": s} }
	para := func(s string) map[string]any {
		return map[string]any{"type": "paragraph", "content": []any{word(s)}}
	}
	item := func(s string) map[string]any {
		return map[string]any{"type": "listItem", "content": []any{para(s)}}
	}
	raw, err := json.Marshal(map[string]any{"type": "doc", "version": 1, "content": []any{para(paragraph),
		map[string]any{"type": "bulletList", "content": []any{item(one), item(two)}}, map[string]any{"type": "codeBlock", "content": []any{word(code)}}}})
	if err != nil {
		panic(err) // texts are always JSON
	}
	return string(raw)
}

func wiki(paragraph, one, two, code string) string {
	return strings.Join([]string{paragraph, "", "* " + one, "* " + two, "", "{code}", code, "{code}"}, "\n")
}

func TestCloud(t *testing.T) {
	trackertest.Run(t, trackertest.Suite{Dialect: simapi.JiraCloud, New: New, Text: document, Field: "customfield_10042", Foreign: foreign()})
}

func TestDataCenter(t *testing.T) {
	trackertest.Run(t, trackertest.Suite{Dialect: simapi.JiraServer, New: New, Text: wiki, Field: "customfield_10042", Foreign: foreign()})
}

func TestDataCenterWithoutProperties(t *testing.T) {
	trackertest.Run(t, trackertest.Suite{Dialect: simapi.JiraServer, Doubts: []simapi.Doubt{simapi.NoCommentProperties}, New: New, Text: wiki, Field: "customfield_10042", Foreign: foreign()})
}

// A site without issue linking refuses the list of links. The issue is still read, and callers that do
// not want links do not request them.
func TestSiteWithoutIssueLinking(t *testing.T) {
	for _, dialect := range []simapi.Dialect{simapi.JiraCloud, simapi.JiraServer} {
		t.Run(string(dialect), func(t *testing.T) {
			w := trackertest.NewWorld(t, dialect)
			a := trackertest.Must(New(w.Config(t)))(t)
			made := w.Make(t, simapi.IssueSpec{Title: "Pay out"})
			trackertest.NoError(t, w.Link(t.Context(), made.Key, simapi.Link{URL: trackertest.PullRequest, Title: "Pay"}))
			for _, f := range []host.Fault{{Action: host.Forbidden}, {Action: host.Respond, Status: 404}, {Action: host.Respond, Status: 503}} {
				f.Path = "/remotelink$"
				trackertest.Must(w.SetFault(t.Context(), f))(t)
				i, err := a.Issue(t.Context(), made.Key, tracker.Want{Links: true})
				if err != nil || i.Title != "Pay out" || len(i.PullRequests) != 0 {
					t.Errorf("%s %d: %+v, %v", f.Action, f.Status, i, err)
				}
			}
			if i := trackertest.Must(a.Issue(t.Context(), made.Key, tracker.Want{Links: true}))(t); len(i.PullRequests) != 1 {
				t.Errorf("links %v", i.PullRequests)
			}
			links := func() (n int) {
				for _, r := range trackertest.Must(w.Requests(t.Context(), simclient.RequestFilter{}))(t) {
					if strings.HasSuffix(r.Path, "/remotelink") {
						n++
					}
				}
				return n
			}
			before := links()
			trackertest.Must(a.Issue(t.Context(), made.Key, tracker.Want{}))(t)
			if n := links() - before; before == 0 || n != 0 {
				t.Errorf("%d requests for unwanted links, after %d", n, before)
			}
		})
	}
}

func TestHooks(t *testing.T) {
	for _, dialect := range []simapi.Dialect{simapi.JiraCloud, simapi.JiraServer} {
		t.Run(string(dialect), func(t *testing.T) {
			trackertest.RunHooks(t, dialect, Hooks(), simapi.HookSpec{Secret: "a signing secret"}, secret.New("a signing secret"))
		})
	}
}

func FuzzHooks(f *testing.F) {
	trackertest.FuzzHooks(f, Hooks(), "X-Hub-Signature", `{"webhookEvent":"jira:issue_updated","issue":{"key":"PAY-1"},"timestamp":1790000000000}`, `{"issue":[]}`)
}

// TestBearerIsNotAProof: webhooks of apps carry a token that does not cover the body.
func TestBearerIsNotAProof(t *testing.T) {
	key := "a signing secret"
	h := http.Header{"Authorization": {"Bearer " + strings.Join([]string{"eyJhbGciOiJIUzI1NiJ9", "e30", "c2lnbmVk"}, ".")}}
	if read, err := readHook(h); err != nil || read.Proof {
		t.Errorf("read %+v %v", read, err)
	}
	if verifyHook(h, []byte(`{}`), []secret.Secret{secret.New(key)}) == nil {
		t.Error("a bearer token proves a body")
	}
}
