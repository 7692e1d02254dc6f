package browse_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/gitlab"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
)

// simulated is a simulated host with the sample.
type simulated interface {
	host.Simulator
	host.CodeHost
	SetBaseURL(base string)
	RequireChecks(repo string, names ...string) error
	Mergeable(repo string, number int) error
}

// site is the site of a simulated host, as a person uses it.
type site struct {
	*testing.T
	host simulated
	base string
	page string // path of the first pull request
}

// sites runs a test on every simulated host. suggests writes a comment with a suggestion for one line, and returns its id; nil at
// hosts where only a program can write it.
func sites(t *testing.T, test func(s *site, suggests func(path string, line int, old, by string) int64)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) (simulated, string, func(path string, line int, old, by string) int64){
		"github": func(t *testing.T) (simulated, string, func(string, int, string, string) int64) {
			s, err := github.New(github.Options{DataDir: t.TempDir()})
			ok(t, err)
			return s, "/pull/1", nil
		},
		"gitlab": func(t *testing.T) (simulated, string, func(string, int, string, string) int64) {
			s, err := gitlab.New(gitlab.Options{DataDir: t.TempDir()})
			ok(t, err)
			return s, "/-/merge_requests/1", func(path string, line int, _, by string) int64 {
				n, err := s.Note(t.Context(), demo.Repository, 1, gitlabapi.NoteSpec{Author: "reviewer", Path: path, NewLine: line,
					Body: "Better:\n\n```suggestion:-0+0\n" + by + "\n```"})
				ok(t, err)
				return n.ID
			}
		},
		"gitea": func(t *testing.T) (simulated, string, func(string, int, string, string) int64) {
			s, err := gitea.New(gitea.Options{DataDir: t.TempDir()})
			ok(t, err)
			return s, "/pulls/1", func(path string, line int, old, by string) int64 {
				r, err := s.Review(t.Context(), demo.Repository, 1, giteaapi.ReviewSpec{Author: "reviewer", Body: "b",
					Comments: []giteaapi.InlineSpec{{Path: path, NewLine: line, Body: "Better:\n\n```diff\n-" + old + "\n+" + by + "\n```"}}})
				ok(t, err)
				return r.Comments[0].ID
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, path, suggests := open(t)
			srv := httptest.NewServer(h.Handler())
			t.Cleanup(func() { srv.Close(); ok(t, h.Close()) })
			h.SetBaseURL(srv.URL)
			ok(t, demo.Seed(t.Context(), h, demo.Name))
			test(&site{T: t, host: h, base: srv.URL, page: srv.URL + "/" + demo.Repository + path}, suggests)
		})
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shows reads the page of the pull request and checks its texts.
func (s *site) shows(want ...string) string {
	s.Helper()
	resp, err := http.Get(s.page)
	ok(s.T, err)
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	ok(s.T, err)
	text := html.UnescapeString(string(raw))
	for _, w := range want {
		if !strings.Contains(text, w) {
			s.Errorf("the page lacks %q", w)
		}
	}
	return text
}

// does sends a form as the author of the sample, from a page of the host or of another site.
func (s *site) does(status int, do string, more ...string) string {
	s.Helper()
	fields := url.Values{"do": {do}, "author": {demo.Author}}
	for i := 0; i < len(more); i += 2 {
		fields.Set(more[i], more[i+1])
	}
	req, err := http.NewRequestWithContext(context.WithoutCancel(s.Context()), http.MethodPost, s.page, strings.NewReader(fields.Encode()))
	ok(s.T, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", fields.Get("site"))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	ok(s.T, err)
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	ok(s.T, err)
	text := html.UnescapeString(string(raw))
	if resp.StatusCode != status {
		s.Errorf("%s %v: status %d, want %d: %s", do, more, resp.StatusCode, status, text)
	}
	return text
}

// refuses sends a form that changes nothing, and checks the sentence of the answer.
func (s *site) refuses(why, do string, more ...string) {
	s.Helper()
	if text := s.does(http.StatusUnprocessableEntity, do, more...); !strings.Contains(text, why) || !strings.Contains(text, "Nothing was changed") {
		s.Errorf("%s: the answer lacks %q: %s", do, why, text)
	}
}

// head returns the newest commit of the pull request.
func (s *site) head() string {
	s.Helper()
	p, err := s.host.GetPull(s.Context(), demo.Repository, 1)
	ok(s.T, err)
	return p.HeadSHA
}

// People comment, push the prepared commit and merge on the page of a pull request.
func TestPeopleActOnThePage(t *testing.T) {
	t.Parallel()
	sites(t, func(s *site, _ func(string, int, string, string) int64) {
		s.shows("Your turn", "Fix what the review found", "Push the fix", "Merge", `value="linus-b"`, `the required check "assay" is missing`)
		for _, do := range []string{"comment", "push", "merge"} {
			s.does(http.StatusForbidden, do, "site", "cross-site", "body", "Of another site.")
		}
		s.refuses("must not be empty", "comment", "body", " \r\n")
		s.refuses("author: must not be empty", "push", "author", " ")
		s.refuses("do: must be", "destroy")
		s.does(http.StatusSeeOther, "comment", "body", "/assay review <script>alert(1)</script> \u202etxt")
		if text := s.shows("/assay review", "[U+202E]txt"); strings.Contains(text, "\u202e") {
			s.Error("the page has a directional character")
		}
		all, err := s.host.Comments(demo.Repository, 1)
		ok(s.T, err)
		if len(all) == 0 || all[len(all)-1].User != demo.Author || !strings.Contains(all[len(all)-1].Body, "\u202e") {
			s.Errorf("the comments are %+v", all)
		}
		s.refuses(`the required check "assay" is missing`, "merge")

		before := s.head()
		s.does(http.StatusSeeOther, "push")
		if s.head() == before {
			s.Error("the prepared commit is not the head")
		}
		if text := s.shows("Your turn"); strings.Contains(text, "Push the fix") {
			s.Error("the page offers the commit again")
		}
		s.refuses("<p>no commit is prepared", "push")

		ok(s.T, s.host.RequireChecks(demo.Repository))
		s.shows("The required checks pass")
		s.does(http.StatusSeeOther, "merge")
		if text := s.shows("It is merged into"); strings.Contains(text, `value="merge"`) || strings.Contains(text, `value="push"`) {
			s.Error("the merged one can be changed")
		}
		s.refuses("<p>the pull request is not open", "merge")
		s.refuses("<p>the pull request is not open", "push")
		s.does(http.StatusSeeOther, "comment", "body", "Thanks.")
	})
}

// A suggestion becomes a commit, once: afterwards its lines are others.
func TestPeopleApplySuggestionsOnThePage(t *testing.T) {
	t.Parallel()
	sites(t, func(s *site, suggests func(path string, line int, old, by string) int64) {
		s.refuses("no such comment", "apply", "comment", "4711")
		if suggests == nil {
			return // its own tests apply one, because only a program writes the comment
		}
		bug := demo.PullRequests()[0].PlantedBugs[1]
		id := strconv.FormatInt(suggests(bug.Path, bug.Line, bug.LineText, "\t// replaced"), 10)
		plain := strconv.FormatInt(suggests(bug.Path, bug.Line, bug.LineText, "\t// another"), 10)
		s.shows("Apply suggestion")
		before := s.head()
		s.does(http.StatusForbidden, "apply", "site", "cross-site", "comment", id)
		s.does(http.StatusSeeOther, "apply", "comment", id)
		if s.head() == before {
			s.Error("the suggestion is not a commit")
		}
		s.shows(s.head()[:7])
		s.refuses("<p>the suggestion is outdated", "apply", "comment", plain)
		s.refuses("<p>the suggestion is outdated", "apply", "comment", id)
	})
}
