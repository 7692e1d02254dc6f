package wire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"a\r\nb\rc": "a\nb\nc", "a\x00\x1b[1m\u202eb\u200b": "a[1mb", "\xff": "\uFFFD", "a\u00a0b\tc": "a b\tc"} {
		if got, cut := Clean(in, 100); got != want || cut {
			t.Errorf("%q: %q %v", in, got, cut)
		}
	}
	got, cut := Clean(strings.Repeat("ä", 1_000_000), 1001)
	if len(got) != 1000 || !cut {
		t.Errorf("%d bytes, cut %v", len(got), cut)
	}
}

func TestPullRequests(t *testing.T) {
	want := []string{"https://github.com/a/b/pull/7", "https://gitlab.com/g/s/p/-/merge_requests/7", "https://bitbucket.org/w/r/pull-requests/7",
		"https://bb.example/projects/P/repos/r/pull-requests/7/overview", "https://git.example/a/b/pulls/7", "https://dev.azure.com/o/p/_git/r/pullrequest/7"}
	others := []string{"https://github.com/a/b/issues/7", "https://github.com/a/b/pull/x", "javascript:alert(1)/pull/7", "/a/b/pull/7", "https://user@github.com/a/b/pull/7", want[0]}
	if got := PullRequests(slices.Concat(want, others)); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	var many []string
	for n := range 200 {
		many = append(many, "https://github.com/a/b/pull/"+strings.Repeat("1", n+1))
	}
	if got := PullRequests(many); len(got) != tracker.MaxLinks {
		t.Errorf("%d links", len(got))
	}
}

func TestTokenErrors(t *testing.T) {
	hits := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	t.Cleanup(server.Close)
	broken := errors.New("the database is away")
	for _, c := range []struct {
		err  error
		s    secret.Secret
		want tracker.Class
	}{{broken, secret.Secret{}, tracker.ClassUnavailable}, {&tracker.Error{Class: tracker.ClassForbidden, Op: "refresh token"}, secret.Secret{}, tracker.ClassForbidden}, {nil, secret.Secret{}, tracker.ClassForbidden}} {
		cfg := tracker.Config{Token: func(context.Context) (secret.Secret, error) { return c.s, c.err }}
		s := NewSender(http.DefaultClient, Token(cfg, secret.Secret.Reveal), nil)
		_, err := s.Do(t.Context(), Call{Op: "x", Method: http.MethodPost, URL: server.URL, Effect: true})
		if tracker.ClassOf(err) != c.want {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	if hits != 0 {
		t.Errorf("%d requests without a credential", hits)
	}
}

func TestBase(t *testing.T) {
	for in, want := range map[string]string{"https://jira.example/": "https://jira.example", "https://x.example/jira": "https://x.example/jira"} {
		if u, err := Base(in); err != nil || u.String() != want {
			t.Errorf("%s: %v %v", in, u, err)
		}
	}
	for _, in := range []string{"", "jira.example", "ftp://jira.example", "https://a:b@jira.example", "https://jira.example?x=y", "https://jira.example#x"} {
		if _, err := Base(in); err == nil {
			t.Errorf("%s: no error", in)
		}
	}
}
