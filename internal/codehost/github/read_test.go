package github

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
)

// paged answers with a list of n entries in pages, with a Link header like GitHub's.
func paged(t *testing.T, url string, n int, entry func(i int) any, wrap func(list []any) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		size, _ := strconv.Atoi(q.Get("per_page"))
		page, _ := strconv.Atoi(q.Get("page"))
		if size != 100 {
			t.Errorf("per_page is %q", q.Get("per_page"))
			size = 30
		}
		page = max(page, 1)
		list := []any{}
		for i := (page - 1) * size; i < min(page*size, n); i++ {
			list = append(list, entry(i))
		}
		if page*size < n {
			q.Set("page", strconv.Itoa(page+1))
			next := q.Encode()
			q.Set("page", strconv.Itoa((n+size-1)/size))
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next", <%s%s?%s>; rel="last"`, url, r.URL.Path, next, url, r.URL.Path, q.Encode()))
		}
		reply(w, 200, wrap(list))
	}
}

func plain(list []any) any { return list }

func TestFilesAreCompleteOrSaidToBeCut(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		changed, listed int
		complete        bool
	}{
		"none": {0, 0, true}, "one page": {99, 99, true}, "a full page": {100, 100, true}, "three pages": {250, 250, true},
		"the host's limit": {3000, 3000, true}, "cut by the host": {3017, 3000, false}, "cut early": {10, 7, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, map[string]any{"number": 7, "changed_files": tc.changed})
			})
			f.on("GET "+pullPath+"/files", paged(t, f.URL, tc.listed, func(i int) any {
				return map[string]any{"filename": fmt.Sprint("f", i), "status": "renamed", "previous_filename": "old", "additions": i, "deletions": 1, "patch": "@@"}
			}, plain))
			h, _ := newHost(t, f)
			files, complete, err := h.Files(t.Context(), testRepo, 7)
			if err != nil || len(files) != tc.listed || complete != tc.complete {
				t.Fatalf("%d files, complete %v, %v", len(files), complete, err)
			}
			if n := len(files) - 1; n >= 0 && files[n] != (codehost.ChangedFile{Path: fmt.Sprint("f", n), OldPath: "old", Status: "renamed", Additions: n, Deletions: 1, Patch: "@@"}) {
				t.Fatalf("last file %+v", files[n])
			}
		})
	}
}

func TestAListThatNeverEnds(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /repos/octo/demo/pulls", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", fmt.Sprintf(`<%s/repos/octo/demo/pulls?page=1>; rel="next"`, f.URL))
		reply(w, 200, []any{map[string]any{"number": 1}, nil})
	})
	h, _ := newHost(t, f)
	list, err := h.OpenPullRequests(t.Context(), testRepo)
	if err != nil || len(list) != 1 || f.count("GET /repos/octo/demo/pulls") != 1 {
		t.Fatalf("%d pull requests, %v", len(list), err)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	const dir = "/repos/octo/demo/contents/"
	for name, tc := range map[string]struct {
		path, sent, contentType string
		status                  int
		class                   codehost.Class
	}{
		"raw":               {"src/a.go", "src/a.go", "application/vnd.github.raw+json; charset=utf-8", 200, ""},
		"raw without type":  {"a.json", "a.json", "", 200, ""},
		"names to escape":   {"a b/c?d#e/100%.md", "a b/c?d#e/100%.md", "application/vnd.github.raw+json", 200, ""},
		"dots in a name":    {"a..b", "a..b", "application/vnd.github.raw+json", 200, ""},
		"directory":         {"src", "src", "application/json; charset=utf-8", 200, codehost.ClassInvalid},
		"absent":            {"gone", "gone", "application/json", 404, codehost.ClassNotFound},
		"climbs":            {"a/../b", "", "", 0, codehost.ClassInvalid},
		"absolute":          {"/etc/passwd", "", "", 0, codehost.ClassInvalid},
		"empty":             {"", "", "", 0, codehost.ClassInvalid},
		"trailing slash":    {"a/", "", "", 0, codehost.ClassInvalid},
		"current directory": {"./a", "", "", 0, codehost.ClassInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("GET "+dir+tc.sent, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept") != "application/vnd.github.raw+json" || r.URL.Query().Get("ref") != headSHA {
					t.Errorf("asked %s with Accept %q", r.URL, r.Header.Get("Accept"))
				}
				w.Header().Set("Content-Type", tc.contentType)
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte("bytes\x00\xff"))
			})
			h, _ := newHost(t, f)
			got, err := h.Content(t.Context(), testRepo, tc.path, headSHA)
			if codehost.ClassOf(err) != tc.class || (tc.class == "" && (err != nil || string(got) != "bytes\x00\xff")) {
				t.Fatalf("%q, %v", got, err)
			}
			if tc.sent == "" && f.total() != 0 {
				t.Fatal("it was sent")
			}
		})
	}
}

func TestPermissionWords(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ role, permission, want string }{
		"finer role": {"maintain", "write", "maintain"}, "triage": {"triage", "read", "triage"}, "custom role": {"release-captain", "write", "write"},
		"old server": {"", "admin", "admin"}, "nothing": {"", "", "none"}, "new word": {"x", "y", "none"}, "none": {"", "none", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("GET /repos/octo/demo/collaborators/dependabot[bot]/permission", func(w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, map[string]any{"permission": tc.permission, "role_name": tc.role})
			})
			h, _ := newHost(t, f)
			if got, err := h.Permission(t.Context(), testRepo, "dependabot[bot]"); err != nil || got != tc.want {
				t.Fatalf("%q, %v", got, err)
			}
		})
	}
}

func TestArgumentsThatCannotBeRightAreNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h, _ := newHost(t, f)
	ctx, bad := t.Context(), testRepo
	bad.Name = "../../app"
	dots := testRepo
	dots.Owner = ".."
	for name, call := range map[string]func() error{
		"repository":     func() error { _, err := h.PullRequest(ctx, bad, 1); return err },
		"dots":           func() error { _, err := h.OpenPullRequests(ctx, dots); return err },
		"number":         func() error { _, err := h.Reviews(ctx, testRepo, 0); return err },
		"login":          func() error { _, err := h.Permission(ctx, testRepo, "a/b"); return err },
		"login query":    func() error { _, err := h.Permission(ctx, testRepo, "a?b"); return err },
		"compare":        func() error { _, err := h.Compare(ctx, testRepo, "main", headSHA); return err },
		"content commit": func() error { _, err := h.Content(ctx, testRepo, "a", "main"); return err },
		"clone":          func() error { _, err := h.Clone(ctx, bad); return err },
		"draft":          func() error { _, err := h.CreateDraft(ctx, bad, 1, codehost.Draft{}); return err },
		"check head": func() error {
			_, err := h.CreateCheck(ctx, testRepo, codehost.Check{Name: "n", ExternalID: "e", HeadSHA: "x"})
			return err
		},
		"check name": func() error {
			_, err := h.FindChecks(ctx, testRepo, codehost.Check{ExternalID: "e", HeadSHA: headSHA})
			return err
		},
		"check id": func() error {
			return h.UpdateCheck(ctx, testRepo, "one", codehost.Check{Name: "n", ExternalID: "e", HeadSHA: headSHA})
		},
		"check without conclusion": func() error {
			return h.UpdateCheck(ctx, testRepo, "1", codehost.Check{Name: "n", ExternalID: "e", HeadSHA: headSHA, Status: "completed"})
		},
	} {
		if err := call(); codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f.total() != 0 {
		t.Fatalf("%d requests were sent", f.total())
	}
}

func TestPullRequestsOfTheAPI(t *testing.T) {
	t.Parallel()
	repo := func(id int64) *gh.Repository { return &gh.Repository{ID: &id} }
	for name, tc := range map[string]struct {
		in   *gh.PullRequest
		want func(p codehost.PullRequest) bool
	}{
		"nothing":      {nil, func(p codehost.PullRequest) bool { return p.Number == 0 }},
		"empty":        {&gh.PullRequest{}, func(p codehost.PullRequest) bool { return p.FromFork && !p.Open }},
		"same":         {&gh.PullRequest{Head: &gh.PullRequestBranch{Repo: repo(1)}, Base: &gh.PullRequestBranch{Repo: repo(1)}}, func(p codehost.PullRequest) bool { return !p.FromFork }},
		"fork":         {&gh.PullRequest{Head: &gh.PullRequestBranch{Repo: repo(2)}, Base: &gh.PullRequestBranch{Repo: repo(1)}}, func(p codehost.PullRequest) bool { return p.FromFork }},
		"deleted fork": {&gh.PullRequest{Head: &gh.PullRequestBranch{}, Base: &gh.PullRequestBranch{Repo: repo(1)}}, func(p codehost.PullRequest) bool { return p.FromFork }},
		"merged, from a list": {&gh.PullRequest{State: gh.Ptr("closed"), MergedAt: &gh.Timestamp{Time: at}}, func(p codehost.PullRequest) bool {
			return p.Merged && !p.Open
		}},
		"bot": {&gh.PullRequest{User: &gh.User{Type: gh.Ptr("Bot")}, Labels: []*gh.Label{{Name: "x"}, nil}}, func(p codehost.PullRequest) bool {
			return p.AuthorIsBot && strings.Join(p.Labels, ",") == "x,"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.in == nil {
				tc.in = &gh.PullRequest{}
			}
			if p := pullRequest(tc.in); !tc.want(p) {
				t.Fatalf("%+v", p)
			}
		})
	}
}

func TestFileURL(t *testing.T) {
	t.Parallel()
	h, err := New(Config{AppID: "1", PrivateKeyPEM: keyPEM(appKey()), HTTP: &http.Client{}, Gate: &codehosttest.Gate{}, APIURL: "https://ghe.example/api/v3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path        string
		first, last int
		want        string
	}{
		{"a.go", 0, 0, "a.go"},
		{"a/b.go", 3, 3, "a/b.go?plain=1#L3"},
		{"a/b.md", 3, 5, "a/b.md?plain=1#L3-L5"},
		{"a b/#1?.go", 3, 0, "a%20b/%231%3F.go?plain=1#L3"},
		{"@octocat/(x)[y]<z>\"\n.go", 0, 0, "%40octocat/%28x%29%5By%5D%3Cz%3E%22%0A.go"},
	} {
		t.Run(c.path, func(t *testing.T) {
			got := h.FileURL(codehost.Repo{Owner: "o", Name: "r"}, "abc", c.path, c.first, c.last)
			if want := "https://ghe.example/o/r/blob/abc/" + c.want; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
