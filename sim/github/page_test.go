package github_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// get reads a page.
func (b *bundle) get(want int, path string) string {
	b.t.Helper()
	req := b.request("", "GET", "", nil)
	req.URL.Path, req.URL.RawPath = path, ""
	r := need(b.send(req))
	if r.status != want {
		b.t.Fatalf("%s: %d, want %d", path, r.status, want)
	}
	if csp := r.header.Get("Content-Security-Policy"); strings.HasPrefix(r.header.Get("Content-Type"), "text/html") && (!strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe")) {
		b.t.Errorf("%s: Content-Security-Policy %q", path, csp)
	}
	return string(r.body)
}

func TestPagesShowTheReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "## Two findings\n<!-- assay:pub=1 -->", "comments": []any{
		line(4, "body", "Too much.\n\n```suggestion\n\treturn 3\n```"), line(7, "start_line", 6, "body", "**A range**")}})
	b.call(200, "POST", pr+"/reviews", map[string]any{"body": "secret draft", "comments": []any{line(4, "body", "draft comment")}})
	b.call(201, "POST", "/repos/acme/shop/check-runs", map[string]any{"name": "assay", "head_sha": b.pull.HeadSHA, "conclusion": "success",
		"output": map[string]any{"title": "Nothing blocking", "summary": "Fine."}})
	conversation, files := b.get(200, "/acme/shop/pull/1"), b.get(200, "/acme/shop/pull/1/files")
	for _, want := range []string{"Simulated GitHub", "Discount", "<h2", "Two findings", "Nothing blocking", "Suggested change", "bot</span>", "lines 6 to 7"} {
		if !strings.Contains(conversation, want) {
			t.Errorf("the conversation lacks %q", want)
		}
	}
	for _, want := range []string{"cart.go", "Suggested change", "<strong>A range</strong>", "@@ -1,5 &#43;1,7 @@", `<td class="no">7</td>`} {
		if !strings.Contains(files, want) {
			t.Errorf("the files lack %q", want)
		}
	}
	for _, text := range []string{conversation, files} {
		for _, never := range []string{"assay:pub", "draft", "<script"} {
			if strings.Contains(text, never) {
				t.Errorf("a page shows %q", never)
			}
		}
	}
	at := strings.Index(files, "Too much.")
	if before := strings.LastIndex(files[:at], `<td class="no">4</td>`); before < 0 || strings.Contains(files[before:at], `<td class="no">5</td>`) {
		t.Error("the comment does not stand under line 4")
	}
	check := need(b.ctl.CheckRuns(t.Context(), "acme/shop"))[0]
	for path, want := range map[string]string{"/": "acme/shop", "/acme": "acme/shop", "/acme/shop": "README.md", "/acme/shop/pulls": "Discount", "/acme/shop/pull/1/commits": "Add a discount",
		"/acme/shop/commit/" + b.pull.HeadSHA: "Add a discount", "/acme/shop/blob/feature/cart.go": "Discount", "/acme/shop/raw/main/cart.go": "package cart",
		"/acme/shop/pull/1.diff": "diff --git", fmt.Sprintf("/acme/shop/runs/%d", check.ID): "Fine.", "/_static/style.css": ":root", "/_avatars/1.svg": "<svg"} {
		if text := b.get(200, path); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	for _, path := range []string{"/nobody", "/acme/none", "/acme/shop/pull/9", "/acme/shop/pull/x", "/acme/shop/blob/main/none", "/acme/shop/runs/1", "/acme/shop/what", "/acme/shop/blob/main/../../etc"} {
		b.get(404, path)
	}
	need(b.ctl.Commit(t.Context(), "acme/shop", simapi.CommitSpec{Branch: "feature", Author: "bob", Files: map[string]string{"cart.go": goFile("// nothing left")}}))
	if text := b.get(200, "/acme/shop/pull/1/files"); !strings.Contains(text, "Outdated") {
		t.Error("the comment on a line that is gone is not shown as outdated")
	}
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}`

func TestPagesEscape(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	files := map[string]string{"x.go": "package x // " + hostile + "\n", "README.md": "# " + hostile + "\n\n[a](javascript:alert(3)) <iframe src='//evil.test'></iframe><style>*{}</style>\n"}
	need(b.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "bad", Description: hostile, Files: map[string]string{"a.txt": "a\n"}}))
	need(b.ctl.Commit(ctx, "acme/bad", simapi.CommitSpec{Branch: "b", Message: hostile, Files: files}))
	p := need(b.ctl.OpenPull(ctx, "acme/bad", simapi.PullSpec{Title: hostile, Body: hostile, Head: "b", Author: "bob", Labels: []string{hostile}}))
	need(b.ctl.Comment(ctx, "acme/bad", 1, simapi.CommentSpec{Author: "bob", Body: hostile + "\n\n<a href='javascript:x' onclick='y'>z</a>"}))
	b.call(200, "POST", "/repos/acme/bad/pulls/1/reviews", map[string]any{"event": "COMMENT", "body": hostile, "comments": []any{
		map[string]any{"path": "x.go", "line": 1, "body": hostile + "\n```suggestion\n" + hostile + "\n```"}}})
	b.call(201, "POST", "/repos/acme/bad/check-runs", map[string]any{"name": hostile, "head_sha": p.HeadSHA, "conclusion": "failure", "output": map[string]any{"title": hostile, "summary": hostile}})
	check := need(b.ctl.CheckRuns(ctx, "acme/bad"))[0]
	for _, path := range []string{"/", "/acme/bad", "/acme/bad/pulls", "/acme/bad/pull/1", "/acme/bad/pull/1/files", "/acme/bad/pull/1/commits", "/acme/bad/tree/b",
		"/acme/bad/blob/b/x.go", "/acme/bad/commit/" + p.HeadSHA, fmt.Sprintf("/acme/bad/runs/%d", check.ID)} {
		text := strings.ToLower(b.get(200, path))
		for _, never := range []string{"<script", "<iframe", `href="javascript:`, "onclick=", "<style", "<img src=x", `<img src="x" onerror`} {
			if strings.Contains(text, never) {
				t.Errorf("%s contains %q", path, never)
			}
		}
	}
}

// form posts a form of the page of a pull request from a site, "" for the page itself.
func (b *bundle) form(want int, path, site string, fields url.Values) {
	b.t.Helper()
	req := need(http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, strings.NewReader(fields.Encode())))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if site != "" {
		req.Header.Set("Sec-Fetch-Site", site)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp := need(client.Do(req))
	must(b.t, resp.Body.Close())
	if resp.StatusCode != want {
		b.t.Errorf("%s %v: status %d, want %d", path, fields.Get("do"), resp.StatusCode, want)
	}
}

// A person replies in a thread on the page, closes it and opens it again. Forms of other sites and wrong ones change nothing.
func TestPeopleWriteInThreadsOnThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "b", "comments": []any{line(4, "body", "Too much.")}})
	first := need(b.ctl.Reviews(t.Context(), "acme/shop", 1))[0].Comments[0].ID
	const page = "/acme/shop/pull/1"
	fields := func(do, author, body string) url.Values {
		return url.Values{"comment": {fmt.Sprint(first)}, "do": {do}, "author": {author}, "body": {body}}
	}
	if text := b.get(200, page); !strings.Contains(text, fmt.Sprintf(`name="comment" value="%d"`, first)) || !strings.Contains(text, "Close the thread") {
		t.Error("the page has no form in the thread")
	}
	b.form(403, page, "cross-site", fields("reply", "bob", "Of another site."))
	b.form(422, page, "same-origin", fields("reply", "", "Of nobody."))
	b.form(422, page, "same-origin", fields("reply", "bob", ""))
	b.form(422, page, "same-origin", url.Values{"comment": {"99999"}, "do": {"close"}, "author": {"bob"}})
	b.form(400, page, "same-origin", fields("reply", "bob", strings.Repeat("x", 300<<10)))
	b.form(405, page+"/files", "same-origin", fields("reply", "bob", "Elsewhere."))
	b.form(405, "/acme/shop", "same-origin", fields("reply", "bob", "Elsewhere."))
	b.form(303, page, "same-origin", fields("reply", "bob", "No caller does that.\r\nSee the test."))
	b.form(303, page, "same-origin", fields("close", "bob", ""))
	reviews := need(b.ctl.Reviews(t.Context(), "acme/shop", 1))
	if last := reviews[len(reviews)-1].Comments; len(reviews) != 2 || last[0].Body != "No caller does that.\nSee the test." || last[0].User != "bob" || last[0].InReplyTo != first || !last[0].Resolved {
		t.Errorf("after the forms: %+v", reviews)
	}
	b.form(303, page, "same-origin", fields("reopen", "bob", ""))
	if c := need(b.ctl.Reviews(t.Context(), "acme/shop", 1))[0].Comments[0]; c.Resolved {
		t.Error("the thread is closed after it was opened again")
	}
}

// A person applies a suggestion on the page, which makes a commit. A suggestion whose lines have changed is refused with a sentence.
func TestPeopleApplySuggestionsOnThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "b", "comments": []any{
		line(4, "body", "Too much.\n\n```suggestion\n\treturn 3\n```"), line(7, "body", "No suggestion.")}})
	comments := need(b.ctl.Reviews(t.Context(), "acme/shop", 1))[0].Comments
	const page = "/acme/shop/pull/1"
	fields := func(i int) url.Values {
		return url.Values{"comment": {fmt.Sprint(comments[i].ID)}, "do": {"apply"}, "author": {"bob"}}
	}
	if n := strings.Count(b.get(200, page), "Apply suggestion"); n != 1 {
		t.Errorf("the page has %d buttons for suggestions", n)
	}
	b.form(403, page, "cross-site", fields(0))
	b.form(422, page, "same-origin", fields(1))
	b.form(303, page, "same-origin", fields(0))
	after := need(b.ctl.GetPull(t.Context(), "acme/shop", 1))
	if got := string(need(b.s.FileAt(t.Context(), "acme/shop", after.HeadSHA, "cart.go"))); !strings.Contains(got, "\n\treturn 3\n") {
		t.Errorf("the commit leaves %q", got)
	}
	if text := b.get(200, page); strings.Contains(text, "Apply suggestion") || !strings.Contains(text, "Outdated") {
		t.Error("the suggestion is offered again")
	}
	b.form(422, page, "same-origin", fields(0))
}
