package app

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// The default limits are those in the table of hosts. A setting changes only the hosts that it names.
func TestLimitsOfHosts(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{codehost.GitHub, domain.GitLab, domain.Gitea, domain.Forgejo} {
		w, got := codehost.WriteLimitsOf(kind), limitsOf(config.Default().Gate, kind)
		testkit.Equal(t, string(kind)+": a minute", got.PerMinute, w.PerMinute)
		testkit.Equal(t, string(kind)+": space", got.Space, w.Space)
	}
	set := config.Default().Gate
	set.GiteaCapMinute, set.Quarantine = 7, time.Second
	testkit.Equal(t, "Forgejo", limitsOf(set, domain.Forgejo).PerHour, 420)
	testkit.Equal(t, "a quarantine that is shorter stays", limitsOf(set, domain.Forgejo).Quarantine, time.Second)
	testkit.Equal(t, "GitHub", limitsOf(set, codehost.GitHub).PerHour, 400)
}
