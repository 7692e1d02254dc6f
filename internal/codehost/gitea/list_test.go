package gitea

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// reviewsOf answers with a list of n reviews in pages of the given size. Reviews that the account cannot see
// are left out.
func (f *fake) reviewsOf(n, size int, hidden func(i int) bool, headers func(w http.ResponseWriter, page int)) {
	f.on("GET /repos/octo/demo/pulls/7/reviews", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		var list []string
		for i := (page - 1) * size; i < min(page*size, n); i++ {
			if !hidden(i) {
				list = append(list, fmt.Sprintf(`{"id":%d,"state":"COMMENT","user":{"id":3}}`, i+1))
			}
		}
		headers(w, page)
		_, _ = fmt.Fprint(w, "["+strings.Join(list, ",")+"]")
	})
}

func TestListsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	const n = 130
	total := func(w http.ResponseWriter, _ int) { w.Header().Set("X-Total-Count", fmt.Sprint(n)) }
	for name, tc := range map[string]struct {
		size    int
		hidden  func(int) bool
		headers func(http.ResponseWriter, int)
		want    int
	}{
		"by their number":             {50, func(int) bool { return false }, total, n},
		"a page with gaps":            {50, func(i int) bool { return i%2 == 0 }, total, n / 2},
		"a page with nothing":         {50, func(i int) bool { return i < 50 }, total, n - 50},
		"a server with smaller pages": {20, func(i int) bool { return i < 20 }, total, n - 20},
		"by links":                    {50, func(i int) bool { return i < 50 }, linked(3), n - 50},
		"by the flag for more pages":  {50, func(i int) bool { return i < 50 }, func(w http.ResponseWriter, page int) { w.Header().Set("X-HasMore", fmt.Sprint(page < 3)) }, n - 50},
		"by length only":              {50, func(int) bool { return false }, func(http.ResponseWriter, int) {}, n},
	} {
		f := newFake(t)
		f.json("GET /settings/api", fmt.Sprintf(`{"max_response_items":%d}`, tc.size))
		f.reviewsOf(n, tc.size, tc.hidden, tc.headers)
		list, err := f.host(domain.Gitea).Reviews(t.Context(), testRepo, 7)
		seen := map[domain.HostID]bool{}
		for _, r := range list {
			seen[r.ID] = true
		}
		if err != nil || len(list) != tc.want || len(seen) != tc.want {
			t.Errorf("%s: %d reviews, %d different, want %d: %v", name, len(list), len(seen), tc.want, err)
		}
	}
}

func linked(last int) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, page int) {
		link := fmt.Sprintf(`<http://x/?page=%d>; rel="last"`, last)
		if page < last {
			link = fmt.Sprintf(`<http://x/?page=%d>; rel="next",`, page+1) + link
		}
		w.Header().Set("Link", link)
	}
}

func TestAListThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /repos/octo/demo/pulls/7/files", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		linked(1<<30)(w, page)
		var list []string
		for i := range 50 {
			list = append(list, fmt.Sprintf(`{"filename":"f%d-%d","status":"changed"}`, page, i))
		}
		_, _ = fmt.Fprint(w, "["+strings.Join(list, ",")+"]")
	})
	f.on("GET /repos/octo/demo/pulls/7.diff", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, diffBody) })
	files, complete, err := f.host(domain.Gitea).Files(t.Context(), testRepo, 7)
	if err != nil || complete || len(files) != maxFiles {
		t.Errorf("%d files, complete %v, %v", len(files), complete, err)
	}
	f.json("GET /repos/octo/demo/pulls", `[]`, `Link: <http://x/?page=2000000000>; rel="next"`)
	if _, err := f.host(domain.Gitea).OpenPullRequests(t.Context(), testRepo); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("%v", err)
	}
}

func TestFilesHaveTheTextsOfTheDiff(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.json("GET /repos/octo/demo/pulls/7/files", `[{"filename":"half.go","status":"changed","additions":2,"deletions":1},{"filename":"gone","status":"deleted"}]`, "X-Total-Count: 2")
	f.on("GET /repos/octo/demo/pulls/7.diff", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, diffBody) })
	files, complete, err := f.host(domain.Gitea).Files(t.Context(), testRepo, 7)
	if err != nil || !complete || len(files) != 2 || files[0].Status != "modified" || files[1].Status != "removed" || files[1].Patch != "" {
		t.Fatalf("%+v, %v", files, err)
	}
	if want := diffBody[strings.Index(diffBody, "@@"):]; files[0].Patch+"\n" != want {
		t.Errorf("patch %q, want %q", files[0].Patch, want)
	}
}

// The own account is requested once, and requests for a review do not count as reviews.
func TestReviewsOfOurs(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.json("GET /repos/octo/demo/pulls/7/reviews", `[{"id":1,"state":"PENDING","user":{"id":9},"body":"b","commit_id":"`+headSHA+`"},{"id":2,"state":"REQUEST_REVIEW","user":{"id":9}},
	 {"id":3,"state":"APPROVED","user":{"id":4}},{"id":4,"state":"COMMENT","user":null},null]`, "X-Total-Count: 5")
	f.json("GET /repos/octo/demo/pulls/7/reviews/2", `{"id":2,"state":"REQUEST_REVIEW","user":{"id":9}}`)
	h := f.host(domain.Gitea)
	for range 2 {
		list, err := h.Reviews(t.Context(), testRepo, 7)
		if err != nil || len(list) != 3 || !list[0].Mine || list[0].State != codehost.ReviewPending || list[1].Mine || list[1].State != codehost.ReviewSubmitted || list[2].Mine {
			t.Fatalf("%+v, %v", list, err)
		}
	}
	if _, err := h.Review(t.Context(), testRepo, 7, "2"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("the request for a review: %v", err)
	}
	if n := strings.Count(strings.Join(f.requests("GET"), "\n"), "GET /user"); n != 1 {
		t.Errorf("%d requests for the own account", n)
	}
}
