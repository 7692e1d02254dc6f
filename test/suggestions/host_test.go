package suggestions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/page"
)

// host is a simulated host with one repository, whose owner publishes.
type host struct {
	sim   *github.Server
	url   string
	token string
}

const repository = "ann/demo"

func newHost(t *testing.T) *host {
	t.Helper()
	srv, err := github.New(github.Options{DataDir: t.TempDir()})
	testkit.OK(t, err)
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	srv.SetBaseURL(web.URL)
	ann, err := srv.CreateUser(t.Context(), simapi.UserSpec{Login: "ann"})
	testkit.OK(t, err)
	_, err = srv.CreateRepo(t.Context(), simapi.RepoSpec{Owner: "ann", Name: "demo", Files: map[string]string{"README": "demo\n"}})
	testkit.OK(t, err)
	return &host{sim: srv, url: web.URL, token: ann.Token}
}

// open opens a pull request of a change.
func (h *host) open(t *testing.T, name string, base, head cases.Files) simapi.Pull {
	t.Helper()
	for _, v := range []struct {
		branch, from string
		files        cases.Files
	}{{name + "-base", "main", base}, {name, name + "-base", head}} {
		_, err := h.sim.Commit(t.Context(), repository, simapi.CommitSpec{Branch: v.branch, From: v.from, Files: v.files})
		testkit.OK(t, err)
	}
	pull, err := h.sim.OpenPull(t.Context(), repository, simapi.PullSpec{Title: name, Head: name, Base: name + "-base"})
	testkit.OK(t, err)
	return pull
}

// publish writes a review with the comments and returns their ids.
func (h *host) publish(t *testing.T, pull simapi.Pull, comments []render.Comment) []int64 {
	t.Helper()
	type draft struct {
		Path      string `json:"path"`
		Side      string `json:"side"`
		Line      int    `json:"line"`
		StartLine int    `json:"start_line,omitempty"`
		StartSide string `json:"start_side,omitempty"`
		Body      string `json:"body"`
	}
	var drafts []draft
	for _, c := range comments {
		d := draft{Path: c.Path, Side: string(c.Side), Line: c.Line, Body: c.Body.String()}
		if c.StartLine != 0 {
			d.StartLine, d.StartSide = c.StartLine, string(c.Side)
		}
		drafts = append(drafts, d)
	}
	body, err := json.Marshal(map[string]any{"commit_id": pull.HeadSHA, "event": "COMMENT", "body": "A review.", "comments": drafts})
	testkit.OK(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("%s/api/v3/repos/%s/pulls/%d/reviews", h.url, repository, pull.Number), bytes.NewReader(body))
	testkit.OK(t, err)
	req.Header.Set("Authorization", "Bearer "+h.token)
	res, err := http.DefaultClient.Do(req)
	testkit.OK(t, err)
	defer func() { _ = res.Body.Close() }()
	if said, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		t.Fatalf("the host refuses the review: %d %s", res.StatusCode, said)
	}
	reviews, err := h.sim.Reviews(repository, pull.Number)
	testkit.OK(t, err)
	var ids []int64
	for _, c := range reviews[len(reviews)-1].Comments {
		ids = append(ids, c.ID)
	}
	return ids
}

// applied presses the button under a comment and returns the resulting file. The branch is reset to the
// head afterwards.
func (h *host) applied(t *testing.T, pull simapi.Pull, name, path string, comment int64) string {
	t.Helper()
	commit, err := h.sim.ApplySuggestion(t.Context(), repository, pull.Number, simapi.SuggestionSpec{Comment: comment})
	testkit.OK(t, err)
	got, err := h.sim.FileAt(t.Context(), repository, commit.SHA, path)
	testkit.OK(t, err)
	_, err = h.sim.Commit(t.Context(), repository, simapi.CommitSpec{Branch: name, MoveTo: pull.HeadSHA})
	testkit.OK(t, err)
	return string(got)
}

// shown is a visible comment with a suggestion, and its finding.
type shown struct {
	comment render.Comment
	of      domain.Finding
	put     []string // lines of its block
}

// offered returns the comments of a review that have a suggestion.
func offered(t *testing.T, findings []domain.Finding, comments []render.Comment) map[int]shown {
	t.Helper()
	out := map[int]shown{}
	for i, c := range comments {
		blocks := page.Suggested(c.Body.String())
		if len(blocks) > 1 {
			t.Errorf("%d suggestions in one comment:\n%s", len(blocks), c.Body)
		}
		for _, f := range findings {
			if f.ID == c.FindingID && len(blocks) == 1 {
				out[i] = shown{c, f, blocks[0]}
			}
		}
	}
	return out
}

// check applies every suggestion of a review in all ways and compares the results. It returns their
// number.
func (h *host) check(t *testing.T, name string, base, head cases.Files, findings []domain.Finding, comments []render.Comment) int {
	t.Helper()
	list := offered(t, findings, comments)
	if len(list) == 0 {
		return 0
	}
	pull := h.open(t, name, base, head)
	ids := h.publish(t, pull, comments)
	for i, s := range list {
		path, before := s.comment.Path, head[s.comment.Path]
		memory := string(anchor.Apply([]byte(before), *s.of.Suggestion))
		testkit.Equal(t, path+" as the host leaves it", h.applied(t, pull, name, path, ids[i]), memory)
		testkit.Equal(t, path+" as git apply leaves it", gitApplied(t, before, s), memory)
		if strings.HasSuffix(path, ".go") {
			if _, err := parser.ParseFile(token.NewFileSet(), path, memory, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s does not parse any more: %v\n%s", path, err, memory)
			}
		}
	}
	return len(list)
}

// gitApplied makes a patch of the comment's suggestion and applies it to the file.
func gitApplied(t *testing.T, before string, s shown) string {
	t.Helper()
	first := s.comment.Line
	if s.comment.StartLine != 0 {
		first = s.comment.StartLine
	}
	lines := strings.SplitAfter(before, "\n")
	old := lines[first-1 : s.comment.Line]
	var patch strings.Builder
	at := first
	if len(s.put) == 0 {
		at-- // diff numbers a place without lines like this
	}
	fmt.Fprintf(&patch, "--- a/file\n+++ b/file\n@@ -%d,%d +%d,%d @@\n", first, len(old), at, len(s.put))
	for _, l := range old {
		patch.WriteString("-" + l)
	}
	ends := strings.HasSuffix(old[len(old)-1], "\n")
	if !ends {
		patch.WriteString("\n\\ No newline at end of file\n")
	}
	for _, l := range s.put {
		patch.WriteString("+" + l + "\n")
	}
	if !ends {
		patch.WriteString("\\ No newline at end of file\n")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	testkit.OK(t, os.WriteFile(file, []byte(before), 0o600))
	testkit.GitFed(t, dir, patch.String(), "apply", "--unidiff-zero", "--whitespace=nowarn", "-")
	after, err := os.ReadFile(file)
	testkit.OK(t, err)
	return string(after)
}
