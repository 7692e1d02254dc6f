package codehost

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// PullRequestPage returns the address of the host's page for a pull request, or "" if the kind's addresses
// are unknown. web is the host's web address; owner may have several parts with slashes.
//
// The forms are those of html_url (GitHub REST, "Get a pull request"; Gitea and Forgejo REST,
// repoGetPullRequest) and of web_url (GitLab REST, "Retrieve a merge request"), and of
// the links of a pull request (Atlassian's OpenAPI descriptions of both kinds of Bitbucket). Azure DevOps puts "_git" between project and
// repository (remoteUrl; Git REST, "Pull Requests - Get Pull Request").
func PullRequestPage(kind domain.ConnectionKind, web, owner, name string, number int) string {
	between := map[domain.ConnectionKind]string{GitHub: "/pull/", domain.GitLab: "/-/merge_requests/",
		domain.BitbucketCloud: "/pull-requests/", domain.BitbucketDataCenter: "/pull-requests/", domain.Gitea: "/pulls/",
		domain.Forgejo: "/pulls/", domain.AzureDevOps: "/pullrequest/"}[kind]
	if kind == domain.AzureDevOps {
		owner += "/_git"
	}
	if between == "" || web == "" || number < 1 {
		return ""
	}
	full := owner + "/" + name
	if kind == domain.BitbucketDataCenter {
		full = "projects/" + owner + "/repos/" + name
	}
	parts := strings.Split(full, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.TrimSuffix(web, "/") + "/" + strings.Join(parts, "/") + between + strconv.Itoa(number)
}
