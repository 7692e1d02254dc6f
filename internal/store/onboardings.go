package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Onboarding is the trial of a repository that is new to its tenant, with its outcome. A repository has at
// most one open onboarding. A repository that left and came back gets another.
type Onboarding struct {
	ID, Tenant, Repository string
	State                  domain.OnboardingState
	Reason                 string // the cause of a failure, for people
	Failure                string // [domain.OnboardingLeft] or [domain.OnboardingBroken]; "" unless it failed
	DryRun                 string // id of the trial's dry run, which can be deleted meanwhile; "" for none
	Basis                  string // JSON; "" before it is known
	Proposal               string // JSON; "" before it is made
	CreatedUS              int64
	StartedUS              int64  // of the trial; 0 before
	ProposedUS             int64  // 0 before
	DecidedUS              int64  // 0 before
	DecidedBy, DecidedName string // our id of the person, and the name as it was then
	How                    string // [domain.OnboardingByInterface] or [domain.OnboardingByPolicy]; "" before
	Note                   string // text from outside

	Owner, Name     string // of the repository
	RepositoryState string
}

const (
	onboardingColumns = `o.id, o.tenant_id, o.repository_id, o.state, o.reason, o.failure, o.dry_run_id, o.basis, o.proposal,
		o.created_us, o.started_us, o.proposed_us, o.decided_us,
	o.decided_by, o.decided_name, o.how, o.note, r.owner, r.name, r.state`
	onboardingInList = `o.id, o.tenant_id, o.repository_id, o.state, o.reason, o.failure, o.dry_run_id, '', '', o.created_us,
		o.started_us, o.proposed_us, o.decided_us,
	o.decided_by, o.decided_name, o.how, o.note, r.owner, r.name, r.state`
	onboardingRows = ` FROM onboardings o JOIN repositories r ON r.tenant_id = o.tenant_id AND r.id = o.repository_id`
)

func scanOnboarding(r scanner, v *Onboarding) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, (*string)(&v.State), &v.Reason, &v.Failure, &v.DryRun, &v.Basis, &v.Proposal,
		&v.CreatedUS, number(&v.StartedUS), number(&v.ProposedUS), number(&v.DecidedUS),
		&v.DecidedBy, &v.DecidedName, &v.How, &v.Note, &v.Owner, &v.Name, &v.RepositoryState)
}

// Place returns the onboarding's position in the list.
func (v Onboarding) Place() Cursor { return Cursor{US: v.CreatedUS, ID: v.ID} }

// notOnboarded is the condition that an active repository r needs an onboarding and lacks one. Onboardings
// that ended because the repository left do not count.
const notOnboarded = `r.intake = 'onboarding' AND r.state = 'active' AND NOT EXISTS (SELECT 1 FROM onboardings x WHERE ` +
	`x.tenant_id = r.tenant_id AND x.repository_id = r.id AND x.failure <> 'left')`

// NotOnboarded lists at most limit repositories, of any tenant, that need an onboarding.
func (s *Store) NotOnboarded(ctx context.Context, limit int) ([]Repository, error) {
	return many(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories r WHERE `+notOnboarded+
		` ORDER BY r.id LIMIT $1`, limit)
}

// CreateOnboarding creates the onboarding of a repository with its first transition. It returns false if
// the repository does not need one.
func (s *Store) CreateOnboarding(ctx context.Context, t domain.Tenant, repository string) (made bool, err error) {
	id := domain.NewID("onb")
	err = s.Atomically(ctx, func(ctx context.Context) error {
		made, err = s.exec1(ctx, `INSERT INTO onboardings (id, tenant_id, repository_id, state, created_us)
			SELECT $3, r.tenant_id, r.id, 'waiting', {now} FROM repositories r WHERE r.tenant_id = $1 AND r.id = $2 AND `+notOnboarded+
			` ON CONFLICT DO NOTHING`, t.ID, repository, id)
		if err != nil || !made {
			return err
		}
		return s.addOnboardingStep(ctx, t, id, "", domain.OnboardingWaiting, "the repository is new")
	})
	return made && err == nil, err
}

// TenantsToOnboard lists tenants with waiting onboardings and fewer than most running trials.
func (s *Store) TenantsToOnboard(ctx context.Context, most int) ([]string, error) {
	return many(ctx, s, value[string], `SELECT o.tenant_id FROM onboardings o JOIN repositories r ON r.tenant_id = o.tenant_id
		AND r.id = o.repository_id
		WHERE o.state IN ('waiting', 'trying') GROUP BY o.tenant_id
		HAVING SUM(CASE WHEN o.state = 'waiting' AND r.state = 'active' THEN 1 ELSE 0 END) > 0
			AND SUM(CASE WHEN o.state = 'trying' THEN 1 ELSE 0 END) < $1 ORDER BY o.tenant_id`, most)
}

// PromoteOnboarding starts the trial of the tenant's longest waiting onboarding. It returns [errs.NotFound]
// if no onboarding waits or the tenant has most running trials.
func (s *Store) PromoteOnboarding(ctx context.Context, t domain.Tenant, most int) (out Onboarding, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// The lock on the tenant's row makes concurrent workers count one after the other.
		if err := must1(s.exec1(ctx, `UPDATE tenants SET id = id WHERE id = $1`, t.ID)); err != nil {
			return err
		}
		id, err := returning(ctx, s, value[string], `UPDATE onboardings SET state = 'trying', started_us = {now} WHERE tenant_id = $1
			AND state = 'waiting'
			AND (SELECT COUNT(*) FROM onboardings x WHERE x.tenant_id = $1 AND x.state = 'trying') < $2
			AND id = (SELECT o.id FROM onboardings o JOIN repositories r ON r.tenant_id = o.tenant_id AND r.id = o.repository_id
				WHERE o.tenant_id = $1 AND o.state = 'waiting' AND r.state = 'active' ORDER BY o.created_us, o.id LIMIT 1) RETURNING id`, t.ID, most)
		if err != nil {
			return err
		}
		if err := s.addOnboardingStep(ctx, t, id, domain.OnboardingWaiting, domain.OnboardingTrying, "its turn"); err != nil {
			return err
		}
		out, err = s.OnboardingForWork(ctx, id)
		return err
	})
	return out, err
}

// SetOnboardingTrial records the basis of an onboarding's trial and its dry run, "" for none. It returns
// false if the onboarding is not in the state trying or already has a dry run.
func (s *Store) SetOnboardingTrial(ctx context.Context, t domain.Tenant, id, dryRun, basis string) (bool, error) {
	return s.exec1(ctx, `UPDATE onboardings SET dry_run_id = $3, basis = $4 WHERE tenant_id = $1 AND id = $2 AND state = 'trying'
		AND dry_run_id = ''`, t.ID, id, dryRun, basis)
}

// OnboardingMove is a transition of an onboarding.
type OnboardingMove struct {
	From, To domain.OnboardingState
	Cause    string // for its history
	Reason   string // the cause of a failure; cut to 2,000 bytes
	Failure  string
	Proposal string // JSON; "" keeps the former proposal

	By, Name, How, Note string // of a decision; name and note are cut to 200 and 2,000 bytes
}

// MoveOnboarding makes a transition and writes its history row. A transition back to waiting resets the
// trial. It returns false if the onboarding is not in state From any more, and an error for an illegal
// transition.
func (s *Store) MoveOnboarding(ctx context.Context, t domain.Tenant, id string, m OnboardingMove) (moved bool, err error) {
	if !domain.OnboardingMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "An onboarding cannot go from %s to %s.", m.From, m.To)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		again := m.To == domain.OnboardingWaiting
		moved, err = s.exec1(ctx, `UPDATE onboardings SET state = $4, reason = $5, failure = $6, proposal = CASE WHEN $7 THEN ''
			WHEN $8 = '' THEN proposal ELSE $8 END,
				basis = CASE WHEN $7 THEN '' ELSE basis END, dry_run_id = CASE WHEN $7 THEN '' ELSE dry_run_id END,
				started_us = CASE WHEN $7 THEN NULL WHEN $4 = 'trying' THEN {now} ELSE started_us END,
				proposed_us = CASE WHEN $4 = 'proposed' THEN {now} ELSE proposed_us END, decided_us = CASE WHEN $9 THEN {now} ELSE decided_us END,
				decided_by = $10, decided_name = $11, how = $12, note = $13
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000), m.Failure,
			again, m.Proposal, m.To.Decided(),
			m.By, clip.Bytes(m.Name, 200), m.How, clip.Bytes(m.Note, 2000))
		if err != nil || !moved {
			return err
		}
		return s.addOnboardingStep(ctx, t, id, m.From, m.To, m.Cause)
	})
	return moved && err == nil, err
}

func (s *Store) addOnboardingStep(ctx context.Context, t domain.Tenant, id string, from, to domain.OnboardingState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO onboarding_transitions (onboarding_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT $1, COUNT(*) + 1, $2, $3, $4, $5, {now} FROM onboarding_transitions WHERE onboarding_id = $1`, id, t.ID, string(from),
		string(to), clip.Bytes(cause, 500))
	return err
}

// OnboardingTransitions lists the transitions of an onboarding, oldest first.
func (s *Store) OnboardingTransitions(ctx context.Context, t domain.Tenant, id string) ([]Transition, error) {
	return many(ctx, s, func(r scanner, v *Transition) error { return r.Scan(&v.Seq, &v.From, &v.To, &v.Cause, &v.AtUS) },
		`SELECT seq, from_state, to_state, cause, at_us FROM onboarding_transitions WHERE tenant_id = $1 AND onboarding_id = $2
			ORDER BY seq`, t.ID, id)
}

// Onboarding reads the newest onboarding of a repository. It returns [errs.NotFound] if the repository has
// no onboarding.
func (s *Store) Onboarding(ctx context.Context, t domain.Tenant, repository string) (Onboarding, error) {
	return first(ctx, s, s.db.Write, scanOnboarding, `SELECT `+onboardingColumns+onboardingRows+
		` WHERE o.tenant_id = $1 AND o.repository_id = $2 ORDER BY o.created_us DESC, o.id DESC LIMIT 1`, []any{t.ID, repository})
}

// HoldOnboarding reads the newest onboarding of a repository and locks its row; call it in a transaction. A
// transaction that also locks the repository's row locks that row first.
func (s *Store) HoldOnboarding(ctx context.Context, t domain.Tenant, repository string) (Onboarding, error) {
	if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM onboardings WHERE tenant_id = $1 AND repository_id = $2
		ORDER BY created_us DESC, id DESC LIMIT 1{forupdate}`, []any{t.ID, repository}); err != nil {
		return Onboarding{}, err
	}
	return s.Onboarding(ctx, t, repository)
}

// OnboardingForWork reads an onboarding of any tenant by its id, for its job.
func (s *Store) OnboardingForWork(ctx context.Context, id string) (Onboarding, error) {
	return first(ctx, s, s.db.Write, scanOnboarding, `SELECT `+onboardingColumns+onboardingRows+` WHERE o.id = $1`, []any{id})
}

// OnboardingOfDryRun reads the onboarding whose trial is a dry run. It returns [errs.NotFound] if a person
// started the dry run.
func (s *Store) OnboardingOfDryRun(ctx context.Context, t domain.Tenant, dryRun string) (Onboarding, error) {
	return first(ctx, s, s.db.Write, scanOnboarding, `SELECT `+onboardingColumns+onboardingRows+
		` WHERE o.tenant_id = $1 AND o.dry_run_id = $2 AND o.dry_run_id <> ''`, []any{t.ID, dryRun})
}

// OnboardingFilter narrows a tenant's onboardings.
type OnboardingFilter struct {
	State  domain.OnboardingState // "" for any
	User   string                 // only repositories on which the host gave this person a role within the last hour; "" for all
	Before Cursor
	Limit  int
}

// Onboardings lists a tenant's onboardings, newest first, without Basis and Proposal.
func (s *Store) Onboardings(ctx context.Context, t domain.Tenant, f OnboardingFilter) ([]Onboarding, error) {
	return many(ctx, s, scanOnboarding, `SELECT `+onboardingInList+onboardingRows+` WHERE o.tenant_id = $1 AND ($2 = '' OR o.state = $2)
		AND ($3 = '' OR EXISTS (SELECT 1 FROM repository_roles x WHERE x.tenant_id = $1 AND x.repository_id = o.repository_id AND x.user_id = $3
			AND x.role <> 'none' AND x.checked_us > {now} - 3600000000))
		AND (o.created_us, o.id) < ($4, $5) ORDER BY o.created_us DESC, o.id DESC LIMIT $6`, t.ID, string(f.State), f.User,
		f.Before.from(), f.Before.ID, f.Limit)
}

// OnboardingStates returns the state of the newest onboarding for each of the repositories that has one.
func (s *Store) OnboardingStates(ctx context.Context, t domain.Tenant, repositories []string) (map[string]domain.OnboardingState, error) {
	rows, err := manyIn(ctx, s, scanOnboarding, repositories, `SELECT `+onboardingInList+onboardingRows+
		` WHERE o.tenant_id = $1 AND o.repository_id IN ({list}) ORDER BY o.created_us, o.id`, t.ID)
	out := make(map[string]domain.OnboardingState, len(rows))
	for _, v := range rows {
		out[v.Repository] = v.State
	}
	return out, err
}

// LeftOnboardings lists at most limit onboardings, of any tenant, that are waiting or trying although their
// repository is not connected any more.
func (s *Store) LeftOnboardings(ctx context.Context, limit int) ([]Onboarding, error) {
	return many(ctx, s, scanOnboarding, `SELECT `+onboardingColumns+onboardingRows+
		` WHERE o.state IN ('waiting', 'trying') AND r.state <> 'active' ORDER BY o.id LIMIT $1`, limit)
}

// UnneededTrials lists at most limit onboardings, of any tenant, that are not trying although their dry run
// is still open.
func (s *Store) UnneededTrials(ctx context.Context, limit int) ([]Onboarding, error) {
	return many(ctx, s, scanOnboarding, `SELECT `+onboardingColumns+onboardingRows+
		` JOIN dry_runs d ON d.tenant_id = o.tenant_id AND d.id = o.dry_run_id
		WHERE d.state IN ('queued', 'running') AND o.state <> 'trying' ORDER BY o.id LIMIT $1`, limit)
}

// DecideIntake stores the decision on a new repository, in the caller's transaction. The intake "on" makes
// the sweep for its open pull requests due. It returns false if the repository is not connected.
func (s *Store) DecideIntake(ctx context.Context, t domain.Tenant, repository, intake string) (bool, error) {
	return s.exec1(ctx, `UPDATE repositories SET intake = $3, updated_us = {now}, swept_us = CASE WHEN $3 = 'on' THEN 0 ELSE swept_us END
		WHERE tenant_id = $1 AND id = $2 AND state = 'active'`, t.ID, repository, intake)
}
