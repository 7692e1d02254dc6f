package domain

import "slices"

// ConnectionKind is a code host or an issue tracker that a tenant connects, by
// its real name. GitHub is none of them: it has apps.
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

// pathWord is one line of the table between paths, which have neutral words,
// and kinds.
type pathWord struct {
	word string
	kind ConnectionKind
}

func pathWords() []pathWord {
	return []pathWord{
		{"host-b", GitLab}, {"host-c", BitbucketCloud}, {"host-d", BitbucketDataCenter}, {"host-e", Gitea}, {"host-f", Forgejo}, {"host-g", AzureDevOps},
		{"tracker-a", Jira}, {"tracker-b", Linear}, {"tracker-c", AzureBoards},
	}
}

// PathWord returns the word that stands for the kind in paths such as
// /webhooks/host-b/{connectionId}; "" for a kind that is not known.
func (k ConnectionKind) PathWord() string {
	all := pathWords()
	if i := slices.IndexFunc(all, func(p pathWord) bool { return p.kind == k }); i >= 0 {
		return all[i].word
	}
	return ""
}

// The states of a connection to a code host or a tracker. Whether it is
// enabled is a field of its own.
const (
	ConnectionPending = "pending" // nobody has tried it yet
	ConnectionActive  = "active"
	ConnectionBroken  = "error"
)
