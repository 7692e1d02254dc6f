package policy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// The values of [RepositoryDefaultsUpdate.ReviewNewRepositories]: how a tenant treats new repositories.
const (
	newOn         = "on"         // reviewed at once; the default
	newOnboarding = "onboarding" // tried out first, until a person decides
	newOff        = "off"        // not reviewed until a person switches them on
)

// RepositoryDefaultsUpdate replaces the tenant's repository defaults, which hold for settings that a
// repository does not set.
type RepositoryDefaultsUpdate struct {
	RepositoryPolicyUpdate
	Locked                []string `json:"locked,omitempty" maxItems:"100" audit:"track" example:"[\"publishMode\",\"deterministic\"]" doc:"Settings, or groups of them, that neither a repository nor its file may change: names as in the repository's feature settings"`
	ReviewNewRepositories string   `json:"reviewNewRepositories,omitempty" enum:"on,onboarding,off" audit:"track" doc:"Handling of repositories that appear: reviewed at once (on), tried out with merged pull requests until a person accepts or declines the result (onboarding), or not reviewed until a person switches them on (off). Absent: on. Existing repositories keep their state"`
}

// UpsertRepositories stores the repositories that the host lists for an assigned installation; see
// [UpsertRepository].
func UpsertRepositories(ctx context.Context, s *store.Store, in store.Installation, seen []codehost.RepoInfo) error {
	for _, r := range seen {
		if _, err := UpsertRepository(ctx, s, in, r); err != nil {
			return err
		}
	}
	return nil
}

// UpsertRepository stores a repository of an assigned installation as the host returned it. A new repository
// gets its tenant's [Intake]. A known one is refreshed, keeps its intake, and is connected again if it was
// not. Repositories of installations come in here; those of connections come in with their sync, which uses
// the same [Intake]. Calls for the same repository may run at the same time.
func UpsertRepository(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo) (store.Repository, error) {
	return upsertRepository(ctx, s, in, r, false)
}

// UpsertRepositoryFromEvent works like [UpsertRepository] with data of an event. An event does not change who reads a
// repository that is already stored.
func UpsertRepositoryFromEvent(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo) (store.Repository, error) {
	return upsertRepository(ctx, s, in, r, true)
}

func upsertRepository(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo,
	fromEvent bool) (store.Repository, error) {
	t := domain.Tenant{ID: in.Tenant}
	intake, err := Intake(ctx, s, t)
	if err != nil {
		return store.Repository{}, err
	}
	return s.UpsertRepository(ctx, t, store.Repository{Installation: in.ID, ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name,
		DefaultBranch: r.DefaultBranch, Private: r.Private, Internal: r.Internal,
		FromEvent: fromEvent, Intake: intake})
}

// Intake returns how a tenant treats new repositories, as a value of [store.Repository.Intake].
func Intake(ctx context.Context, s *store.Store, t domain.Tenant) (string, error) {
	d, err := s.Document(ctx, t, "", store.SettingPolicy)
	if err != nil {
		return "", err
	}
	return intakeOf(d.Body)
}

// intakeOf reads the value of [store.Repository.Intake] for new repositories from a tenant's repository
// defaults.
func intakeOf(defaults string) (string, error) {
	if defaults == "" {
		return domain.IntakeOn, nil
	}
	var doc struct {
		ReviewNewRepositories string `json:"reviewNewRepositories"`
	}
	if err := json.Unmarshal([]byte(defaults), &doc); err != nil {
		return "", fmt.Errorf("the stored repository defaults cannot be read: %w", err)
	}
	switch doc.ReviewNewRepositories {
	case newOff:
		return domain.IntakeOff, nil
	case newOnboarding:
		return domain.IntakeOnboarding, nil
	}
	return domain.IntakeOn, nil
}
