package app

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/store"
)

// limitsOf returns the limits of requests to a kind of host, as the operator set them.
func limitsOf(set config.Gate, kind domain.ConnectionKind) store.GateLimits {
	w := codehost.WriteLimitsOf(kind)
	switch kind {
	case codehost.GitHub:
		w.PerMinute, w.PerHour = set.CapMinute, set.CapHour
	case domain.GitLab:
		w.PerMinute = set.GitLabCapMinute
	case domain.Gitea, domain.Forgejo:
		w.PerMinute = set.GiteaCapMinute
	}
	return gate.For(store.GateLimits{Lease: set.Lease, Quarantine: set.Quarantine}, w)
}
