package codehost_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestPullRequestPage(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]struct {
		kind             domain.ConnectionKind
		web, owner, name string
	}{
		"https://github.com/octo/shop/pull/7":                            {codehost.GitHub, "https://github.com", "octo", "shop"},
		"https://git.example/sub/acme/pay/api/-/merge_requests/7":        {domain.GitLab, "https://git.example/sub/", "acme/pay", "api"},
		"https://git.example/acme/a%20b/pulls/7":                         {domain.Gitea, "https://git.example", "acme", "a b"},
		"https://ado.example/tfs/c/Pay%20ments/_git/a%20b/pullrequest/7": {domain.AzureDevOps, "https://ado.example/tfs", "c/Pay ments", "a b"},
		"https://git.example/acme/x%3Fy/pulls/7":                         {domain.Forgejo, "https://git.example", "acme", "x?y"},
	} {
		testkit.Equal(t, string(of.kind), codehost.PullRequestPage(of.kind, of.web, of.owner, of.name, 7), want)
	}
	for name, got := range map[string]string{
		"an unknown kind": codehost.PullRequestPage("svn", "https://svn.example", "a", "b", 7),
		"no host":         codehost.PullRequestPage(codehost.GitHub, "", "a", "b", 7),
		"no number":       codehost.PullRequestPage(codehost.GitHub, "https://github.com", "a", "b", 0),
	} {
		testkit.Equal(t, name, got, "")
	}
}

// Every built host has the address of such a page.
func TestEveryBuiltHostHasPages(t *testing.T) {
	t.Parallel()
	for _, p := range codehost.Profiles() {
		if got := codehost.PullRequestPage(p.Kind, "https://host.example", "a", "b", 1); (got != "") != p.Built {
			t.Errorf("%s: %q", p.Kind, got)
		}
	}
}
