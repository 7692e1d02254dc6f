package gitea

import "github.com/assay-dev/assay/internal/domain"

// flavour holds the differences between Gitea and Forgejo, which forked in 2022 (Gitea 1.18) and keeps
// Gitea's API. Methods check the flavour, never the kind.
type flavour struct {
	// headers are the prefixes of a delivery's headers. The first present one counts. Forgejo sends its own
	// headers beside Gitea's (services/webhook/shared/payloader.go of forgejo/forgejo, December 2024).
	headers []string
	// skipped reports that newer versions have a commit status for skipped reviews.
	skipped bool
}

var flavours = map[domain.ConnectionKind]flavour{
	domain.Gitea:   {headers: []string{"X-Gitea-"}, skipped: true},
	domain.Forgejo: {headers: []string{"X-Forgejo-", "X-Gitea-"}},
}
