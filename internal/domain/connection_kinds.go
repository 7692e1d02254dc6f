package domain

import "slices"

// ConnectionKind is the real name of a code host or issue tracker that a tenant connects. GitHub is
// missing, because it has apps.
type ConnectionKind string

// The kinds.
const (
	GitLab              ConnectionKind = "gitlab"
	BitbucketCloud      ConnectionKind = "bitbucket-cloud"
	BitbucketDataCenter ConnectionKind = "bitbucket-dc"
	Gitea               ConnectionKind = "gitea"
	Forgejo             ConnectionKind = "forgejo"
	AzureDevOps         ConnectionKind = "azure-devops"
	Jira                ConnectionKind = "jira"
	Linear              ConnectionKind = "linear"
	AzureBoards         ConnectionKind = "azure-boards"
)

// pathWord maps a neutral word in paths to a kind.
type pathWord struct {
	word string
	kind ConnectionKind
}

func pathWords() []pathWord {
	return []pathWord{
		{"host-b", GitLab}, {"host-c", BitbucketCloud}, {"host-d", BitbucketDataCenter}, {"host-e", Gitea}, {"host-f", Forgejo},
		{"host-g", AzureDevOps},
		{"tracker-a", Jira}, {"tracker-b", Linear}, {"tracker-c", AzureBoards},
	}
}

// PathWord returns the kind's word in paths such as /webhooks/host-b/{connectionId}, or "" for an unknown
// kind.
func (k ConnectionKind) PathWord() string {
	all := pathWords()
	if i := slices.IndexFunc(all, func(p pathWord) bool { return p.kind == k }); i >= 0 {
		return all[i].word
	}
	return ""
}

// The states of a connection to a code host or tracker. A separate field holds whether it is enabled.
const (
	ConnectionPending = "pending" // not tried yet
	ConnectionActive  = "active"
	ConnectionBroken  = "error"
)
