package policy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// ManyAtOnce is how many new repositories may appear at once and be reviewed
// without anybody having said so.
const ManyAtOnce = 5

// RepositoryDefaultsUpdate replaces the tenant's repository defaults: what holds
// where a repository says nothing.
type RepositoryDefaultsUpdate struct {
	RepositoryPolicyUpdate
	Locked                []string `json:"locked,omitempty" maxItems:"100" audit:"track" example:"[\"publishMode\",\"deterministic\"]" doc:"Settings, or groups of them, that neither a repository nor its file may change: names as in the repository's feature settings"`
	ReviewNewRepositories string   `json:"reviewNewRepositories,omitempty" enum:"on,onboarding,off" audit:"track" doc:"What becomes of repositories that appear: reviewed at once, waiting to be tried out, or not reviewed. Absent: onboarding where more than 5 appear at once, else on"`
}

// Intake says what repositories of an installation get that are seen for the
// first time: the value of [store.Repository.Intake]. ids are those that the
// host named at once; the known ones among them do not count.
func Intake(ctx context.Context, s *store.Store, t domain.Tenant, installation string, ids []int64) (string, error) {
	known, err := s.KnownRepositories(ctx, t, installation)
	if err != nil {
		return "", err
	}
	there := map[int64]bool{}
	for _, id := range known {
		there[id] = true
	}
	fresh := 0
	for _, id := range ids {
		if !there[id] {
			there[id] = true
			fresh++
		}
	}
	if fresh == 0 {
		return store.IntakeOn, nil
	}
	d, err := s.Document(ctx, t, "", store.SettingPolicy)
	if err != nil {
		return "", err
	}
	return intake(d.Body, fresh)
}

func intake(defaults string, fresh int) (string, error) {
	var doc struct {
		ReviewNewRepositories string `json:"reviewNewRepositories"`
	}
	if defaults != "" {
		if err := json.Unmarshal([]byte(defaults), &doc); err != nil {
			return "", fmt.Errorf("the stored repository defaults cannot be read: %w", err)
		}
	}
	switch {
	case doc.ReviewNewRepositories != "":
		return doc.ReviewNewRepositories, nil
	case fresh > ManyAtOnce:
		return store.IntakeOnboarding, nil
	}
	return store.IntakeOn, nil
}
