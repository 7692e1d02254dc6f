package policy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// What a tenant may want for repositories that appear: the values of
// [RepositoryDefaultsUpdate.ReviewNewRepositories].
const (
	newOn         = "on"         // they are reviewed; also what holds where nothing is said
	newOnboarding = "onboarding" // they are tried out, and wait until somebody decides
	newOff        = "off"        // they wait until somebody switches them on
)

// RepositoryDefaultsUpdate replaces the tenant's repository defaults: what holds
// where a repository says nothing.
type RepositoryDefaultsUpdate struct {
	RepositoryPolicyUpdate
	Locked                []string `json:"locked,omitempty" maxItems:"100" audit:"track" example:"[\"publishMode\",\"deterministic\"]" doc:"Settings, or groups of them, that neither a repository nor its file may change: names as in the repository's feature settings"`
	ReviewNewRepositories string   `json:"reviewNewRepositories,omitempty" enum:"on,onboarding,off" audit:"track" doc:"Handling of repositories that appear: reviewed at once (on), tried out with merged pull requests until a person accepts or declines the result (onboarding), or not reviewed until a person switches them on (off). Absent: on. Existing repositories keep their state"`
}

// SeeRepositories stores repositories of a placed installation as the host
// answers; see [SeeRepository].
func SeeRepositories(ctx context.Context, s *store.Store, in store.Installation, seen []codehost.RepoInfo) error {
	for _, r := range seen {
		if _, err := SeeRepository(ctx, s, in, r); err != nil {
			return err
		}
	}
	return nil
}

// SeeRepository stores a repository of a placed installation as the host
// answers. One that is new gets what its tenant wants for new ones; one that is there
// is refreshed, keeps its own, and is connected again if it was not. Installations
// come in here; the repositories of connections with their sync, which asks for the
// same [Intake]. It may run at the same time for the same repository.
func SeeRepository(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo) (store.Repository, error) {
	return seeRepository(ctx, s, in, r, false)
}

// ToldRepository does what [SeeRepository] does with what an event says, which does not change who
// reads a repository that is there.
func ToldRepository(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo) (store.Repository, error) {
	return seeRepository(ctx, s, in, r, true)
}

func seeRepository(ctx context.Context, s *store.Store, in store.Installation, r codehost.RepoInfo, told bool) (store.Repository, error) {
	t := domain.Tenant{ID: in.Tenant}
	intake, err := Intake(ctx, s, t)
	if err != nil {
		return store.Repository{}, err
	}
	return s.SeeRepository(ctx, t, store.Repository{Installation: in.ID, ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private, Internal: r.Internal,
		Told: told, Intake: intake})
}

// Intake is what a tenant wants for repositories that appear: the value of
// [store.Repository.Intake] for new ones.
func Intake(ctx context.Context, s *store.Store, t domain.Tenant) (string, error) {
	d, err := s.Document(ctx, t, "", store.SettingPolicy)
	if err != nil {
		return "", err
	}
	return intakeOf(d.Body)
}

// intakeOf reads from a tenant's repository defaults what new repositories get:
// the value of [store.Repository.Intake].
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
