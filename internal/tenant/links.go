package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// The maximum numbers of links of a repository and of pattern repositories of a tenant. Each costs a search
// during a review (design choice).
const (
	MaxLinks    = 50
	maxPatterns = 50
)

// RepositoryLinkCreate links a repository to another one whose index its reviews consult.
type RepositoryLinkCreate struct {
	RepositoryID string `json:"repositoryId" minLength:"1" maxLength:"100" doc:"The other repository, of the same tenant"`
	Kind         string `json:"kind" enum:"consumer,provider,related" doc:"What the other one is: it uses this one's code or interface, offers its own to this one, or is related otherwise"`
	Note         string `json:"note,omitempty" maxLength:"500" example:"Client of the orders interface"`
	Confirmed    bool   `json:"confirmed,omitempty" doc:"Needed where the other repository is private and this one is not: its code may be quoted in public reviews"`
}

// RepositoryLink is a link in the interface.
type RepositoryLink struct {
	ID           string    `json:"id" audit:"ignore"`
	RepositoryID string    `json:"repositoryId" audit:"track"`
	Owner        string    `json:"owner" audit:"ignore" doc:"Of the other repository"`
	Name         string    `json:"name" audit:"ignore" doc:"Of the other repository"`
	Kind         string    `json:"kind" enum:"consumer,provider,related" audit:"track"`
	Note         string    `json:"note" audit:"track"`
	Confirmed    bool      `json:"confirmed" audit:"track"`
	State        string    `json:"state" enum:"active,disconnected,unconfirmed" audit:"ignore" doc:"Whether it counts. disconnected: the other repository cannot be reached; unconfirmed: it is private, this one has become public, and no admin has confirmed the link"`
	CreatedAt    time.Time `json:"createdAt" audit:"ignore"`

	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and changes nothing for now; absent where there is nothing"`
}

// PatternRepositoryCreate makes a repository an example for the others.
type PatternRepositoryCreate struct {
	RepositoryID string   `json:"repositoryId" minLength:"1" maxLength:"100" doc:"A repository of the tenant"`
	Paths        []string `json:"paths,omitempty" maxItems:"50" doc:"Path patterns; none: all of it" example:"[\"src/**\"]"`
	Note         string   `json:"note,omitempty" maxLength:"500" example:"How services are built here"`
	Confirmed    bool     `json:"confirmed,omitempty" doc:"Needed where the repository is private and the tenant has public ones: its code may be quoted in public reviews"`
}

// PatternRepository is a pattern repository in the interface.
type PatternRepository struct {
	ID           string    `json:"id" audit:"ignore"`
	RepositoryID string    `json:"repositoryId" audit:"track"`
	Owner        string    `json:"owner" audit:"ignore"`
	Name         string    `json:"name" audit:"ignore"`
	Paths        []string  `json:"paths" audit:"track"`
	Note         string    `json:"note" audit:"track"`
	Confirmed    bool      `json:"confirmed" audit:"track"`
	State        string    `json:"state" enum:"active,disconnected,unconfirmed" audit:"ignore" doc:"Whether it counts. disconnected: the repository cannot be reached; unconfirmed: it is private, the tenant has public ones, and no admin has confirmed the link: private repositories use it, public ones don't"`
	CreatedAt    time.Time `json:"createdAt" audit:"ignore"`

	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and changes nothing for now; absent where there is nothing"`
}

// CreateLink links a repository of the tenant to another one.
func (s *Service) CreateLink(ctx context.Context, t domain.Tenant, repository store.Repository,
	in RepositoryLinkCreate) (RepositoryLink, error) {
	var c field.Check
	c.That(in.RepositoryID != repository.ID, "/repositoryId", "must be another repository than the one that is linked")
	c.Line("/note", in.Note)
	if err := c.Err(); err != nil {
		return RepositoryLink{}, err
	}
	var out RepositoryLink
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.Links(ctx, t, repository.ID, store.Cursor{}, MaxLinks)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxLinks {
			return audit.Act{}, limitError("links", MaxLinks)
		}
		other, err := s.referredRepository(ctx, t, in.RepositoryID)
		if err != nil {
			return audit.Act{}, err
		}
		if other.Private && !repository.Private && !in.Confirmed {
			return audit.Act{}, unconfirmedError("the other repository is private and this one is public: its code may be quoted in public reviews")
		}
		id, err := s.Store.CreateLink(ctx, t, store.RepositoryLink{Repository: repository.ID, Linked: other.ID, Kind: in.Kind,
			Note: in.Note, Confirmed: in.Confirmed})
		if errs.Is(err, errs.Conflict) {
			return audit.Act{}, duplicateError("There is already a link of this kind to this repository (repositoryId, kind).")
		}
		if err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.Link(ctx, t, repository.ID, id)
		out = linkOf(row)
		return audit.Act{Tenant: t, Action: "repository-link.create", Target: out.target(), After: out}, err
	})
	return out, err
}

// Links lists the links of a repository, newest first.
func (s *Service) Links(ctx context.Context, t domain.Tenant, repository string, p Page) ([]RepositoryLink, error) {
	rows, err := s.Store.Links(ctx, t, repository, p.Before, p.Limit)
	out := make([]RepositoryLink, len(rows))
	for i, row := range rows {
		out[i] = linkOf(row)
	}
	return out, err
}

// DeleteLink deletes a link of a repository.
func (s *Service) DeleteLink(ctx context.Context, t domain.Tenant, repository, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Link(ctx, t, repository, id)
		if err != nil {
			return audit.Act{}, err
		}
		v := linkOf(row)
		return audit.Act{Tenant: t, Action: "repository-link.delete", Target: v.target(), Before: v}, s.Store.DeleteLink(ctx, t, repository, id)
	})
}

// CreatePattern makes a repository of the tenant an example for the others.
func (s *Service) CreatePattern(ctx context.Context, t domain.Tenant, in PatternRepositoryCreate) (PatternRepository, error) {
	var c field.Check
	c.Globs("/paths", in.Paths)
	c.Distinct("/paths", in.Paths)
	c.Line("/note", in.Note)
	if err := c.Err(); err != nil {
		return PatternRepository{}, err
	}
	var out PatternRepository
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.Patterns(ctx, t, store.Cursor{}, maxPatterns)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == maxPatterns {
			return audit.Act{}, limitError("pattern repositories", maxPatterns)
		}
		if _, err := s.referredRepository(ctx, t, in.RepositoryID); err != nil {
			return audit.Act{}, err
		}
		id, err := s.Store.CreatePattern(ctx, t, store.PatternRepository{Repository: in.RepositoryID, Paths: store.JSON(list(in.Paths)),
			Note: in.Note, Confirmed: in.Confirmed})
		if errs.Is(err, errs.Conflict) {
			return audit.Act{}, duplicateError("This repository is already a pattern repository (repositoryId).")
		}
		if err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.Pattern(ctx, t, id)
		if err == nil && row.Exposes && !row.Confirmed {
			return audit.Act{}, unconfirmedError("the repository is private and the tenant has public ones: its code may be quoted in " +
				"public reviews")
		}
		out = patternOf(row)
		return audit.Act{Tenant: t, Action: "pattern-repository.create", Target: out.target(), After: out}, err
	})
	return out, err
}

// Patterns lists the pattern repositories, newest first.
func (s *Service) Patterns(ctx context.Context, t domain.Tenant, p Page) ([]PatternRepository, error) {
	rows, err := s.Store.Patterns(ctx, t, p.Before, p.Limit)
	out := make([]PatternRepository, len(rows))
	for i, row := range rows {
		out[i] = patternOf(row)
	}
	return out, err
}

// DeletePattern deletes a pattern repository; the repository itself stays.
func (s *Service) DeletePattern(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Pattern(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		v := patternOf(row)
		return audit.Act{Tenant: t, Action: "pattern-repository.delete", Target: v.target(), Before: v}, s.Store.DeletePattern(ctx, t, id)
	})
}

// referredRepository returns the repository that a request names. A repository of another tenant and a missing one
// give the same error.
func (s *Service) referredRepository(ctx context.Context, t domain.Tenant, id string) (store.Repository, error) {
	r, err := s.Store.Repository(ctx, t, id)
	if errs.Is(err, errs.NotFound) {
		return r, field.Wrong("/repositoryId", "must be the id of a repository of this tenant")
	}
	return r, err
}

func linkOf(row store.RepositoryLink) RepositoryLink {
	return RepositoryLink{ID: row.ID, RepositoryID: row.Linked, Owner: row.LinkedOwner, Name: row.LinkedName, Kind: row.Kind,
		Note: row.Note, Confirmed: row.Confirmed,
		State: linkState(row.LinkedState, row.Exposes && !row.Confirmed), CreatedAt: store.Time(row.CreatedUS),
		NotInEffect: policy.UnreadIn(policy.DocLink)}
}

func (v RepositoryLink) target() audit.Target {
	return audit.Target{Kind: "repository-link", ID: v.ID, Name: v.Owner + "/" + v.Name}
}

func patternOf(row store.PatternRepository) PatternRepository {
	return PatternRepository{ID: row.ID, RepositoryID: row.Repository, Owner: row.Owner, Name: row.Name,
		Paths: store.FromJSON[[]string](row.Paths), Note: row.Note, Confirmed: row.Confirmed,
		State: linkState(row.State, row.Exposes && !row.Confirmed), CreatedAt: store.Time(row.CreatedUS),
		NotInEffect: policy.UnreadIn(policy.DocPattern)}
}

func (v PatternRepository) target() audit.Target {
	return audit.Target{Kind: "pattern-repository", ID: v.ID, Name: v.Owner + "/" + v.Name}
}

func linkState(repository string, unconfirmed bool) string {
	switch {
	case repository != "active":
		return "disconnected"
	case unconfirmed:
		return "unconfirmed"
	}
	return "active"
}

func unconfirmedError(why string) error {
	return field.Wrong("/confirmed", "must be true, because "+why)
}

// duplicateError is the error for a duplicate.
func duplicateError(message string) error {
	return errs.New(errs.Conflict, "already_exists", "%s", message)
}
