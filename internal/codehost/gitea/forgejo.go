package gitea

import "github.com/assay-dev/assay/internal/domain"

// flavour is what differs between Gitea and Forgejo, which was forked from it in
// 2022 (Gitea 1.18) and keeps its API. A method asks the flavour, never the kind.
type flavour struct {
	// headers are the prefixes of the headers of a delivery, the first one that is
	// there counts. Forgejo sends its own beside Gitea's
	// (services/webhook/shared/payloader.go of forgejo/forgejo, December 2024).
	headers []string
	// skipped says that newer versions have a state of a commit status for what was skipped.
	skipped bool
}

var flavours = map[domain.ConnectionKind]flavour{
	domain.Gitea:   {headers: []string{"X-Gitea-"}, skipped: true},
	domain.Forgejo: {headers: []string{"X-Forgejo-", "X-Gitea-"}},
}
