package tickets_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// hostWithIssues is a code host with issues, which records those that are asked for.
type hostWithIssues struct {
	*reviewtest.Host
	kind    domain.ConnectionKind
	issues  map[int]codehost.Issue
	down    error
	asked   []int
	commits []string
}

func (h *hostWithIssues) IssueKind() domain.ConnectionKind { return h.kind }

func (h *hostWithIssues) Messages(context.Context, codehost.Repo, int) ([]string, error) {
	return h.commits, nil
}

func (h *hostWithIssues) Issue(_ context.Context, _ codehost.Repo, number int) (codehost.Issue, error) {
	h.asked = append(h.asked, number)
	i, ok := h.issues[number]
	if h.down != nil {
		return i, h.down
	}
	if !ok {
		return i, codehost.NoIssue("read issue")
	}
	return i, nil
}

func (w *world) hostIssues(on bool) {
	w.Helper()
	body := `{"hostIssues":true}`
	if !on {
		body = `{}`
	}
	testkit.OK(w, w.Store.PutSetting(bg, w.tenant, w.repository.ID, store.SettingPolicy, body))
}

func (w *world) readWith(h *hostWithIssues) []domain.Ticket {
	w.Helper()
	c := w.change()
	c.Host = h
	got, err := w.Read(bg, c)
	testkit.OK(w, err)
	return got.Tickets
}

func newHostWithIssues(w *world, kind domain.ConnectionKind) *hostWithIssues {
	return &hostWithIssues{Host: w.host, kind: kind, issues: map[int]codehost.Issue{
		12: {Number: 12, Title: "Round hunter2", Body: "## Acceptance criteria\n\n- [ ] No hunter2 in logs\n- [x] Half a cent is rounded up\n", URL: "https://code.example/octo/repo/issues/12", Open: true},
		13: {Number: 13, Title: "Done", URL: "https://code.example/octo/repo/issues/13"},
	}}
}

// An issue that the pull request closes is read with its criteria only if the policy says so, without a connection.
func TestIssuesOfTheCodeHostAreReadByPolicy(t *testing.T) {
	each(t, func(w *world) {
		h := newHostWithIssues(w, codehost.GitHub)
		w.connection.Enabled = false
		w.update()
		w.now.Title, w.now.Body = "Round the sum", "Closes #12 and refers to #13.\n\n<!-- Fixes #13 --> `Fixes #13`"
		h.commits = []string{"Fix the sum\n\nfixes: #13"}
		testkit.Equal(w, "without the policy", len(w.readWith(h))+len(h.asked), 0)
		w.hostIssues(true)
		got := w.readWith(h)
		testkit.Equal(w, "tickets", keys(got), "#12 #13")
		testkit.Equal(w, "rows", w.rows(), "#12/body read, #13/commit read done")
		one := got[0]
		if one.Title != "Round [secret]" || len(one.Criteria) != 2 || one.Criteria[0].Text != "No [secret] in logs" || one.Tracker != codehost.GitHub || one.URL == "" {
			w.Errorf("%+v", one)
		}
		links, err := w.Links(bg, w.tenant, w.repository, tickets.Page{Limit: 10})
		testkit.OK(w, err)
		if len(links) != 2 || links[0].ConnectionID != "" || links[0].Tracker != "github" || links[0].KeyOnly || links[0].Title == "" {
			w.Errorf("links %+v", links)
		}
		w.hostIssues(false)
		testkit.Equal(w, "switched off", keys(w.readWith(h))+w.rows(), "")
	})
}

// In a public repository everyone reads its issues, so that the review may show them, and the sweep leaves them alone.
func TestIssuesOfAPublicRepositoryAreShown(t *testing.T) {
	each(t, func(w *world) {
		h := newHostWithIssues(w, codehost.GitHub)
		w.repository.Private = false
		var err error
		w.repository, err = w.Store.UpsertRepository(bg, w.tenant, w.repository)
		testkit.OK(w, err)
		w.hostIssues(true)
		w.now.Title, w.now.Body, w.now.FromFork = "Round the sum", "Closes #12, closes acme/secret#4", true
		testkit.Equal(w, "tickets", keys(w.readWith(h)), "#12")
		testkit.Equal(w, "rows", w.rows(), "#12/body read, acme/secret#4/body key")
		testkit.Equal(w, "asked", len(h.asked), 1)
		over, err := w.Store.OverexposedLinks(bg, tickets.AllowsOnPublic, 10)
		testkit.OK(w, err)
		testkit.Equal(w, "overexposed", len(over), 0)
	})
}

// An issue that is not there is dropped, and a host that does not answer does not stop the review.
func TestIssuesOfTheCodeHostThatCannotBeRead(t *testing.T) {
	each(t, func(w *world) {
		h := newHostWithIssues(w, codehost.GitHub)
		w.hostIssues(true)
		w.now.Title, w.now.Body = "Round the sum", "Closes #12, closes #404"
		testkit.Equal(w, "tickets", keys(w.readWith(h)), "#12")
		testkit.Equal(w, "rows", w.rows(), "#12/body read")
		h.down = &codehost.Error{Class: codehost.ClassUnavailable, Message: "PRIVATE"}
		got := w.readWith(h)
		if len(got) == 0 || got[0].Unread != "The tracker did not answer." {
			w.Errorf("tickets %+v", got)
		}
		h.down = &codehost.Error{Class: codehost.ClassMoved, Message: "moved to a repository of others"}
		testkit.Equal(w, "a moved issue", keys(w.readWith(h)), "")
	})
}

// Each host has its own keywords.
func TestClosingKeywords(t *testing.T) {
	each(t, func(w *world) {
		w.hostIssues(true)
		for text, want := range map[string]map[domain.ConnectionKind]string{
			"Closes #1, fixes #2; resolved: #3":                           {codehost.GitHub: "#1 #2 #3", domain.GitLab: "#1 #2 #3", domain.Gitea: "#1 #2 #3"},
			"Closes #1, #2 and #3":                                        {codehost.GitHub: "#1", domain.GitLab: "#1 #2 #3", domain.Forgejo: "#1"},
			"Implements #1":                                               {codehost.GitHub: "", domain.GitLab: "#1", domain.Gitea: ""},
			"closing issue #1":                                            {codehost.GitHub: "", domain.GitLab: "#1"},
			"Closes group/sub/project#7":                                  {codehost.GitHub: "group/sub/project#7", domain.GitLab: "group/sub/project#7"},
			"Closes octo/repo#7, fixes OCTO/Repo#8":                       {codehost.GitHub: "#7 #8"},
			"Closes https://code.example/octo/repo/issues/5.":             {codehost.GitHub: "#5", domain.GitLab: "#5"},
			"Closes https://code.example/octo/repo/-/issues/5":            {domain.GitLab: "#5"},
			"Closes https://code.example/other/repo/-/work_items/5":       {domain.GitLab: "other/repo#5"},
			"Closes https://evil.example/octo/repo/issues/5":              {codehost.GitHub: ""},
			"Closes https://code.example.evil.example/octo/repo/issues/5": {codehost.GitHub: ""},
			"Closes https://code.example/issues/1":                        {codehost.GitHub: "", domain.GitLab: ""},
			"Closes https://code.example/-/issues/1":                      {codehost.GitHub: "", domain.GitLab: ""},
			"Closes https://code.example//issues/1":                       {codehost.GitHub: "", domain.GitLab: ""},
			"Closes https://code.example/work_items/1":                    {codehost.GitHub: "", domain.GitLab: ""},
			"Closes https://code.example/octo/issues/1, closes #2":        {codehost.GitHub: "#2"},
			"discloses #1, see #2, close to #3":                           {codehost.GitHub: "", domain.GitLab: ""},
			"Closes #0, closes #01, closes #99999999999":                  {codehost.GitHub: ""},
			"```\nCloses #1\n```\n`Closes #2`":                            {codehost.GitHub: ""},
			"~~~\nCloses #1\n~~~\n``Closes #2 ` ``\n\nCloses #3":          {codehost.GitHub: "#3", domain.GitLab: "#3"},
			"````\n```\nCloses #1\n```\nCloses #2\n````":                  {codehost.GitHub: ""},
			"Closes #1 " + strings.Repeat("closes #2 ", 100_000):          {codehost.GitHub: "#1 #2"},
		} {
			for kind, keys := range want {
				h := newHostWithIssues(w, kind)
				h.issues = map[int]codehost.Issue{}
				for n := range 10 {
					h.issues[n] = codehost.Issue{Number: n, Title: "x", Open: true}
				}
				w.now.Title, w.now.Body = "Round the sum", text
				w.readWith(h)
				if got := w.linked(); got != keys {
					w.Errorf("%s: %.60q closes %q, want %q", kind, text, got, keys)
				}
			}
		}
	})
}

// GitHub closes no issue by the title of a pull request, and other hosts do.
func TestClosingKeywordsInTitles(t *testing.T) {
	each(t, func(w *world) {
		w.hostIssues(true)
		for kind, want := range map[domain.ConnectionKind]string{codehost.GitHub: "", domain.GitLab: "#12", domain.Gitea: "#12", domain.Forgejo: "#12"} {
			w.now.Title, w.now.Body = "Round the sum, closes #12", ""
			w.readWith(newHostWithIssues(w, kind))
			testkit.Equal(w, string(kind), w.linked(), want)
		}
	})
}

// linked returns the keys of the links in the order of their keys.
func (w *world) linked() string {
	w.Helper()
	rows, err := w.Store.TrackerLinksOf(bg, w.tenant, w.pull.ID)
	testkit.OK(w, err)
	var out []string
	for _, r := range rows {
		out = append(out, r.IssueKey)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
