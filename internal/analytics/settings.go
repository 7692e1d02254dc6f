package analytics

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// MaxTeams is the largest number of teams of a tenant (design choice).
const MaxTeams = 200

// AnalyticsSettingsUpdate replaces the settings of a tenant's figures.
type AnalyticsSettingsUpdate struct {
	PerPersonFigures bool `json:"perPersonFigures" doc:"Whether a person's own figures exist at all, for that person alone" audit:"track"`
	SmallestGroup    int  `json:"smallestGroup" minimum:"2" maximum:"100" doc:"Figures of a team with fewer members are withheld" example:"5" audit:"track"`
	RetentionDays    int  `json:"retentionDays" minimum:"30" maximum:"3650" doc:"How far back figures go" example:"365" audit:"track"`
}

// AnalyticsSettings are the settings as the API shows them.
type AnalyticsSettings struct {
	AnalyticsSettingsUpdate
	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where the defaults hold"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where the defaults hold"`
}

// Settings reads the settings of a tenant's figures.
func (s *Service) Settings(ctx context.Context, t domain.Tenant) (AnalyticsSettings, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingAnalytics)
	if err != nil {
		return AnalyticsSettings{}, err
	}
	return settingsOf(d)
}

// settingsOf reads a stored document over the defaults: groups of at least five people, and a year of
// retention.
func settingsOf(d store.Document) (AnalyticsSettings, error) {
	out := AnalyticsSettings{AnalyticsSettingsUpdate: AnalyticsSettingsUpdate{SmallestGroup: 5, RetentionDays: 365}, Version: d.Version}
	if d.UpdatedUS != 0 {
		out.UpdatedAt = new(store.Time(d.UpdatedUS))
	}
	if d.Body == "" {
		return out, nil
	}
	if err := json.Unmarshal([]byte(d.Body), &out.AnalyticsSettingsUpdate); err != nil {
		return out, errs.Wrap(err, errs.Internal, "internal", "The stored settings of figures cannot be read.")
	}
	return out, nil
}

// PutSettings replaces the settings of a tenant's figures. If version is not 0, it returns Stale unless the
// document has that version.
func (s *Service) PutSettings(ctx context.Context, t domain.Tenant, version int64, in AnalyticsSettingsUpdate) (AnalyticsSettings, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return AnalyticsSettings{}, err
	}
	var after AnalyticsSettings
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Settings(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutSettingAt(ctx, t, "", store.SettingAnalytics, string(body), version)
		if err != nil {
			return audit.Act{}, err
		}
		after, err = settingsOf(d)
		return audit.Act{Tenant: t, Action: "analytics-settings.update", Target: audit.Target{Kind: "tenant", ID: t.ID}, Before: before,
			After: after}, err
	})
	return after, err
}

// AnalyticsTeamCreate is a new team.
type AnalyticsTeamCreate struct {
	Name          string   `json:"name" minLength:"1" maxLength:"100" example:"Platform"`
	MemberIDs     []string `json:"memberIds" maxItems:"500" doc:"Members of the tenant" example:"[]"`
	RepositoryIDs []string `json:"repositoryIds,omitempty" maxItems:"500" doc:"Repositories whose figures are the team's" example:"[]"`
}

// AnalyticsTeamUpdate changes a team; absent fields keep their values.
type AnalyticsTeamUpdate struct {
	Name          patch.Value[string]   `json:"name,omitzero" minLength:"1" maxLength:"100"`
	MemberIDs     patch.Value[[]string] `json:"memberIds,omitzero" maxItems:"500" example:"[]"`
	RepositoryIDs patch.Value[[]string] `json:"repositoryIds,omitzero" maxItems:"500" example:"[]"`
}

// AnalyticsTeam is a team as the API shows it. A person who leaves the tenant and a removed repository
// leave the team too.
type AnalyticsTeam struct {
	ID            string    `json:"id" audit:"ignore"`
	Name          string    `json:"name" audit:"track"`
	MemberIDs     []string  `json:"memberIds" audit:"track"`
	RepositoryIDs []string  `json:"repositoryIds" audit:"track"`
	Version       int64     `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt     time.Time `json:"createdAt" audit:"ignore"`
	UpdatedAt     time.Time `json:"updatedAt" audit:"ignore"`
}

func teamOf(v store.Team) AnalyticsTeam {
	return AnalyticsTeam{ID: v.ID, Name: v.Name, MemberIDs: v.Members, RepositoryIDs: v.Repositories, Version: v.Version,
		CreatedAt: store.Time(v.CreatedUS), UpdatedAt: store.Time(v.UpdatedUS)}
}

func (v AnalyticsTeam) target() audit.Target {
	return audit.Target{Kind: "analytics-team", ID: v.ID, Name: v.Name}
}

// check validates the fields of a team.
func (s *Service) check(ctx context.Context, t domain.Tenant, v AnalyticsTeam) error {
	var c field.Check
	c.Name("/name", v.Name)
	c.Distinct("/memberIds", v.MemberIDs)
	c.Distinct("/repositoryIds", v.RepositoryIDs)
	people, err := s.Store.Members(ctx, t, v.MemberIDs)
	if err != nil {
		return err
	}
	for i, id := range v.MemberIDs {
		c.That(slices.Contains(people, id), field.At("/memberIds", i), "must be the id of a member of the tenant")
	}
	repositories, err := s.Store.OwnRepositories(ctx, t, v.RepositoryIDs)
	if err != nil {
		return err
	}
	for i, id := range v.RepositoryIDs {
		c.That(slices.Contains(repositories, id), field.At("/repositoryIds", i), "must be the id of a repository of the tenant")
	}
	return c.Err()
}

// CreateTeam creates a team. Errors: Invalid, Conflict (the name is taken, or the tenant has [MaxTeams]
// teams).
func (s *Service) CreateTeam(ctx context.Context, t domain.Tenant, in AnalyticsTeamCreate) (AnalyticsTeam, error) {
	v := AnalyticsTeam{Name: in.Name, MemberIDs: in.MemberIDs, RepositoryIDs: in.RepositoryIDs}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.check(ctx, t, v); err != nil {
			return audit.Act{}, err
		}
		there, err := s.Store.Teams(ctx, t, store.Cursor{}, MaxTeams)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxTeams {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d teams, and more are not possible. Delete some first.", MaxTeams)
		}
		row, err := s.Store.CreateTeam(ctx, t, store.Team{Name: v.Name, Members: v.MemberIDs, Repositories: v.RepositoryIDs})
		v = teamOf(row)
		return audit.Act{Tenant: t, Action: "analytics-team.create", Target: v.target(), After: v}, taken(err)
	})
	return v, err
}

// Teams lists the teams of a tenant, newest first.
func (s *Service) Teams(ctx context.Context, t domain.Tenant, before store.Cursor, limit int) ([]AnalyticsTeam, error) {
	rows, err := s.Store.Teams(ctx, t, before, limit)
	out := make([]AnalyticsTeam, len(rows))
	for i, row := range rows {
		out[i] = teamOf(row)
	}
	return out, err
}

// UpdateTeam changes a team. If version is not 0, it returns Stale unless the team has that version.
func (s *Service) UpdateTeam(ctx context.Context, t domain.Tenant, id string, version int64,
	in AnalyticsTeamUpdate) (AnalyticsTeam, error) {
	var after AnalyticsTeam
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Team(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before := teamOf(row)
		after = before
		in.Name.Into(&after.Name)
		in.MemberIDs.Into(&after.MemberIDs)
		in.RepositoryIDs.Into(&after.RepositoryIDs)
		if err := s.check(ctx, t, after); err != nil {
			return audit.Act{}, err
		}
		row, err = s.Store.UpdateTeam(ctx, t, store.Team{ID: id, Name: after.Name, Members: after.MemberIDs,
			Repositories: after.RepositoryIDs, Version: row.Version})
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		after = teamOf(row)
		return audit.Act{Tenant: t, Action: "analytics-team.update", Target: after.target(), Before: before, After: after}, taken(err)
	})
	return after, err
}

// DeleteTeam deletes a team.
func (s *Service) DeleteTeam(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Team(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		v := teamOf(row)
		return audit.Act{Tenant: t, Action: "analytics-team.delete", Target: v.target(), Before: v}, s.Store.DeleteTeam(ctx, t, id)
	})
}

// taken turns a uniqueness violation into an error that names the team's name.
func taken(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a team with this name. Choose another name.")
	}
	return err
}
