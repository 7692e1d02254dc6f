package github_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// git runs a real git client that sends the token in the way that GitHub expects.
func (b *bundle) git(token, dir string, args ...string) (string, error) {
	b.t.Helper()
	header := "http.extraHeader=Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	cmd := exec.CommandContext(b.t.Context(), "git", append([]string{"-c", header}, args...)...)
	cmd.Dir, cmd.Env = dir, append(gitrepo.Env(), "GIT_TRACE_CURL=0")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestFetchBySHA(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dir := t.TempDir()
	if out, err := b.git(b.token, dir, "init", "--quiet"); err != nil {
		t.Fatal(out)
	}
	url := b.repo.CloneURL
	if !strings.HasPrefix(url, b.base) {
		url = b.base + "/acme/shop.git"
	}
	first := b.pull.HeadSHA
	// A head that was force-pushed away can still be fetched by its name.
	need(b.ctl.Commit(t.Context(), "acme/shop", simapi.CommitSpec{Branch: "feature", From: "main", Author: "bob", Files: map[string]string{"cart.go": goFile("// new")}}))
	for _, sha := range []string{first, b.pull.BaseSHA} {
		if out, err := b.git(b.token, dir, "fetch", "--quiet", "--depth=1", "--no-tags", url, sha); err != nil {
			t.Fatalf("fetch: %v: %s", err, out)
		}
	}
	if out, _ := b.git(b.token, dir, "show", first+":cart.go"); !strings.Contains(out, "Discount") {
		t.Errorf("file: %s", out)
	}
	if out, err := b.git(b.token, dir, "rev-list", "--count", first); err != nil || out != "1" {
		t.Errorf("depth: %s %v", out, err)
	}
	narrow := b.installationToken(map[string]any{"permissions": map[string]string{"pull_requests": "read"}})
	for name, token := range map[string]string{"wrong token": "nonsense", "no permission": narrow, "app JWT": b.appJWT()} {
		if out, err := b.git(token, dir, "fetch", "--quiet", "--depth=1", url, b.pull.BaseSHA); err == nil {
			t.Errorf("%s: fetched: %s", name, out)
		}
	}
	if out, err := b.git(b.token, dir, "push", url, "HEAD:refs/heads/x"); err == nil {
		t.Errorf("pushed: %s", out)
	}
	clone := t.TempDir()
	if out, err := b.git(b.token, clone, "clone", "--quiet", url, "c"); err != nil {
		t.Errorf("clone: %s", out)
	}
	if _, err := os.Stat(clone + "/c/cart.go"); err != nil {
		t.Error(err)
	}
}

func TestFilesAndLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	many := map[string]string{}
	for i := range 320 {
		many[fmt.Sprintf("many/f%03d.txt", i)] = "one\n"
	}
	need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "many", Files: many}))
	need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "long", Files: map[string]string{"long.txt": strings.Repeat("x\n", 20001)}}))
	need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "mixed", Delete: []string{"old.txt"}, Files: map[string]string{"new dir/ü.txt": "one\ntwo\nthree\n", "bin": "a\x00b"}}))
	for _, head := range []string{"many", "long", "mixed"} {
		need(b.ctl.OpenPull(ctx, "acme/shop", simapi.PullSpec{Title: head, Head: head, Author: "bob"}))
	}
	diff := func(n, want int) string {
		req := b.request(b.token, "GET", fmt.Sprintf("/repos/acme/shop/pulls/%d", n), nil)
		req.Header.Set("Accept", "application/vnd.github.diff")
		r := need(b.send(req))
		if r.status != want {
			t.Errorf("diff of %d: %d %.200s", n, r.status, r.body)
		}
		return string(r.body)
	}
	if text := diff(1, 200); !strings.HasPrefix(text, "diff --git a/cart.go b/cart.go\n") {
		t.Errorf("diff: %s", text)
	}
	for n, text := range map[int]string{2: "maximum number of files (300)", 3: "maximum number of lines (20000)"} {
		if body := diff(n, 406); !strings.Contains(body, text) || !strings.Contains(body, `"too_large"`) {
			t.Errorf("diff of %d: %s", n, body)
		}
	}
	r := b.call(200, "GET", "/repos/acme/shop/pulls/2/files", nil)
	if len(r.list()) != 30 || !strings.Contains(r.header.Get("Link"), `rel="last"`) || !strings.Contains(r.header.Get("Link"), "page=11") {
		t.Errorf("first page: %d files, Link %s", len(r.list()), r.header.Get("Link"))
	}
	seen := 0
	for next := "/repos/acme/shop/pulls/2/files?per_page=100"; next != ""; {
		r := b.call(200, "GET", next, nil)
		seen += len(r.list())
		next = ""
		for _, part := range strings.Split(r.header.Get("Link"), ", ") {
			if link, ok := strings.CutSuffix(part, `>; rel="next"`); ok {
				next = strings.TrimPrefix(link, "<"+b.base+"/api/v3")
			}
		}
	}
	if seen != 320 {
		t.Errorf("%d files over all pages, want 320", seen)
	}
	byName := map[string]map[string]any{}
	for _, f := range b.call(200, "GET", "/repos/acme/shop/pulls/4/files", nil).list() {
		byName[f["filename"].(string)] = f
	}
	if f := byName["new dir/ü.txt"]; f["status"] != "renamed" || f["previous_filename"] != "old.txt" {
		t.Errorf("rename: %v", f)
	}
	if f := byName["bin"]; f["status"] != "added" || f["patch"] != nil {
		t.Errorf("binary: %v", f)
	}
	req := b.request(b.token, "GET", "/repos/acme/shop/contents/new%20dir/%C3%BC.txt?ref=mixed", nil)
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	if r := need(b.send(req)); string(r.body) != "one\ntwo\nthree\n" || r.status != http.StatusOK {
		t.Errorf("raw: %d %s", r.status, r.body)
	}
	c := b.call(200, "GET", "/repos/acme/shop/compare/main...mixed", nil).object()
	if c["status"] != "ahead" || dig(c["merge_base_commit"], "sha") != b.pull.BaseSHA || c["ahead_by"] != float64(1) {
		t.Errorf("compare: %v %v", c["status"], c["ahead_by"])
	}
}
