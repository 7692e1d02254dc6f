package gitlab_test

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// The pages show the contents that the interface wrote, below the path of the instance. They do not
// show drafts, markers and scripts of strangers.
func TestPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx, repo := t.Context(), simclient.Repo(path)
	body := "The shift is not a division.\n\n```suggestion:-1+1\nfunc Half(n int) int {\n\treturn n / 2\n}\n```\n<!-- marker -->"
	made := w.call(201, "POST", mr+"/discussions", map[string]any{"body": body, "position": w.at(0, 4)})
	id := made["id"].(string)
	w.call(201, "POST", mr+"/discussions/"+id+"/notes", map[string]any{"body": "An answer."})
	w.call(201, "POST", mr+"/notes", map[string]any{"body": "One **finding** <script>alert(1)</script>"})
	w.call(201, "POST", mr+"/draft_notes", map[string]any{"note": "Unseen", "position": w.at(0, 4)})
	w.call(201, "POST", "/projects/octo%2Fteam%2Fdemo/statuses/"+w.pull.HeadSHA, map[string]any{"state": "failed", "name": "assay/review", "description": "1 finding"})
	run := must(w.ctl.AddRun(ctx, repo, shared.RunSpec{Workflow: "CI", Commit: w.pull.HeadSHA, Branch: "topic", Jobs: []shared.JobSpec{{Name: "unit", Conclusion: "failure", Log: "FAIL <b>half</b>\n"}}}))(t)
	job := "/octo/team/demo/-/jobs/" + strconv.FormatInt(run.Jobs[0], 10)
	get := func(path string) (int, string, http.Header) {
		resp := must(http.DefaultClient.Do(must(http.NewRequestWithContext(ctx, "GET", w.base+path, nil))(t)))(t)
		defer resp.Body.Close()
		return resp.StatusCode, string(must(io.ReadAll(resp.Body))(t)), resp.Header
	}
	expect := func(pages map[string][]string) {
		t.Helper()
		for path, want := range pages {
			status, text, _ := get(path)
			for _, x := range want {
				if status != 200 || !strings.Contains(text, x) {
					t.Errorf("%s: status %d, %q is missing", path, status, x)
				}
			}
			for _, x := range []string{"<script", "Unseen", "marker", "<b>half", `href="/octo`, `src="/_`} {
				if strings.Contains(text, x) {
					t.Errorf("%s shows %q", path, x)
				}
			}
		}
	}
	const page = "/octo/team/demo/-/merge_requests"
	suggestion := []string{"Suggested change", `<tr class="del"><td class="no">5</td>`, `<tr class="add"><td class="no">3</td>`}
	expect(map[string][]string{
		"/":                                    {"octo/team/demo", "Simulated GitLab", "1 open merge request"},
		"/octo":                                {`href="/git/octo/team/demo"`},
		"/octo/team/demo":                      {"half.go", "Halve", "!1 opened by ann"},
		"/octo/team/demo/-/tree/topic":         {"other.go"},
		"/octo/team/demo/-/blob/topic/half.go": {"Half"},
		"/octo/team/demo/-/raw/topic/half.go":  {"n >> 1"},
		page:                                   {`href="/git` + page + `/1"`, "Merge requests"},
		page + "/1":                            append([]string{"<strong>finding</strong>", "An answer.", "assay/review", "1 finding", "unit", "line 4"}, suggestion...),
		page + "/1/diffs":                      append([]string{"An answer.", "Files changed"}, suggestion...),
		page + "/1/commits":                    {"Change"},
		page + "/1.diff":                       {"+\treturn n >> 1"},
		"/octo/team/demo/-/commit/topic":       {"Change"},
		job:                                    {"unit", "failed", "FAIL &lt;b&gt;half"},
		"/_avatars/11.svg":                     {"<svg"},
		"/_static/style.css":                   {"body{"},
	})
	w.call(200, "PUT", mr+"/discussions/"+id, map[string]any{"resolved": true})
	w.push(map[string]string{"half.go": strings.Replace(half, "n / 2", "(n / 2)", 1)}, "")
	must(w.ctl.UpdatePull(ctx, repo, 1, shared.PullUpdate{State: "closed", Actor: "ann"}))(t)
	expect(map[string][]string{page + "/1": {"Outdated", "Resolved", "closed", "added 1 commit"}, page: {"1 closed"}, page + "/1/diffs": {"Outdated", "by bot"}})
	for _, missing := range []string{"/octo/none", page + "/9", page + "/1/none", "/octo/team/demo/-/jobs/1", "/octo/team/demo/-/commit/none", "/octo/-/merge_requests"} {
		if status, _, header := get(missing); status != 404 || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: status %d", missing, status)
		}
	}
	resp := must(http.Post(w.base+page, "text/plain", nil))(t)
	_ = resp.Body.Close()
	if resp.StatusCode != 405 {
		t.Errorf("a form of a page: status %d", resp.StatusCode)
	}
	first := must(w.ctl.Notes(ctx, repo, 1))(t)[0].ID
	for do, want := range map[string]string{"reply": "From the page.", "reopen": "Close the thread"} {
		resp := must(http.PostForm(w.base+page+"/1", url.Values{"comment": {strconv.FormatInt(first, 10)}, "do": {do}, "author": {"ann"}, "body": {"From the page."}}))(t)
		text := string(must(io.ReadAll(resp.Body))(t))
		_ = resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %q is missing", do, resp.StatusCode, want)
		}
	}
	must(w.ctl.Note(ctx, repo, 1, simapi.NoteSpec{Author: "ann", Path: "half.go", OldLine: 4, Body: "Why?"}))(t)
	if _, text, _ := get(page + "/1/diffs"); !strings.Contains(text, "Why?") {
		t.Error("a note on a line that is gone is not below it")
	}
}
