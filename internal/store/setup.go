package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// SetupState is the progress of the instance's first run.
type SetupState struct {
	AppID       string // the app that setup registered; "" for none
	TokenLive   bool   // a usable token exists
	CompletedUS int64  // 0 before the end of setup
}

// Setup reads the state of the first run. An instance with an admin counts as set up, regardless of how the
// admin was created.
func (s *Store) Setup(ctx context.Context) (SetupState, error) {
	return one(ctx, s, func(r scanner, v *SetupState) error { return r.Scan(&v.AppID, &v.TokenLive, number(&v.CompletedUS)) },
		`SELECT app_id, token_hash <> '' AND token_expires_us > {now},
			COALESCE(completed_us, (SELECT MIN(created_us) FROM users WHERE instance_admin = TRUE)) FROM instance_setup WHERE id = 'instance'`)
}

// HoldSetup is like [Store.Setup], but locks the row, so that the end of the first run waits for the
// caller's transaction.
func (s *Store) HoldSetup(ctx context.Context) (SetupState, error) {
	if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM instance_setup WHERE id = 'instance' {forupdate}`, nil); err != nil {
		return SetupState{}, err
	}
	return s.Setup(ctx)
}

// PutSetupToken replaces the token that opens setup. It returns false if setup has ended.
func (s *Store) PutSetupToken(ctx context.Context, hash string, life time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE instance_setup SET token_hash = $1, token_expires_us = {now} + $2 WHERE id = 'instance'
		AND completed_us IS NULL`+noAdmin, hash, life.Microseconds())
}

// OfferSetupToken is like [Store.PutSetupToken] for processes that start together. It returns false if
// setup has ended or a live token is younger than young. All tokens have the same life, so that a token's
// expiry gives its age.
func (s *Store) OfferSetupToken(ctx context.Context, hash string, life, young time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE instance_setup SET token_hash = $1, token_expires_us = {now} + $2
		WHERE id = 'instance' AND completed_us IS NULL AND (token_hash = '' OR token_expires_us <= {now} + $3)`+noAdmin, hash,
		life.Microseconds(), (life - young).Microseconds())
}

// SetupToken reports whether a hash is that of the live token, without redeeming it.
func (s *Store) SetupToken(ctx context.Context, hash string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM instance_setup WHERE id = 'instance' AND token_hash = $1
		AND token_hash <> '' AND token_expires_us > {now} AND completed_us IS NULL`+noAdmin, hash)
	return n > 0, err
}

// noAdmin is the condition that the instance has no admin. An admin from the command line or the bootstrap
// also ends the first run.
const noAdmin = ` AND NOT EXISTS (SELECT 1 FROM users WHERE instance_admin = TRUE)`

// RedeemSetupToken redeems the token for a browser's session. It ends an earlier browser's session, so that
// a single browser goes through setup at a time.
func (s *Store) RedeemSetupToken(ctx context.Context, hash, session string, life time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE instance_setup SET token_hash = '', token_expires_us = 0, session_hash = $2, session_expires_us = {now} + $3
		WHERE id = 'instance' AND token_hash = $1 AND token_hash <> '' AND token_expires_us > {now} AND completed_us IS NULL`+noAdmin,
		hash, session, life.Microseconds())
}

// SetupSession reports whether a hash is that of the session of the browser in setup.
func (s *Store) SetupSession(ctx context.Context, hash string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM instance_setup WHERE id = 'instance' AND session_hash = $1
		AND session_hash <> '' AND session_expires_us > {now} AND completed_us IS NULL`+noAdmin, hash)
	return n > 0, err
}

// ClaimSetupApp records the app that setup registered. It returns false if an app is recorded or setup has
// ended.
func (s *Store) ClaimSetupApp(ctx context.Context, app string) (bool, error) {
	return s.exec1(ctx, `UPDATE instance_setup SET app_id = $1 WHERE id = 'instance' AND completed_us IS NULL AND app_id = ''`+noAdmin, app)
}

// CompleteSetup ends the first run with its token and session. It returns false if the first run had ended
// or the instance has an admin.
func (s *Store) CompleteSetup(ctx context.Context) (bool, error) {
	return s.exec1(ctx, `UPDATE instance_setup SET completed_us = {now}, token_hash = '', session_hash = '' WHERE id = 'instance'
		AND completed_us IS NULL`+noAdmin)
}

// PutState stores the state of a redirect to a code host. It deletes expired states.
func (s *Store) PutState(ctx context.Context, hash, purpose, binding, body string, life time.Duration) error {
	if _, err := s.exec(ctx, `DELETE FROM setup_states WHERE expires_us <= {now}`); err != nil {
		return err
	}
	_, err := s.exec(ctx, `INSERT INTO setup_states (state_hash, purpose, binding, body, created_us, expires_us)
		VALUES ($1, $2, $3, $4, {now}, {now} + $5)`,
		hash, purpose, binding, body, life.Microseconds())
	return err
}

// TakeState deletes a browser's state and returns its body. It returns [errs.NotFound] if the state has
// expired, was used, or belongs to another browser or purpose.
func (s *Store) TakeState(ctx context.Context, hash, purpose, binding string) (body string, err error) {
	return returning(ctx, s, value[string], `DELETE FROM setup_states WHERE state_hash = $1 AND purpose = $2 AND binding = $3
		AND binding <> '' AND expires_us > {now} RETURNING body`,
		hash, purpose, binding)
}

// The kinds of the instance's documents.
const (
	DocumentSettings  = "settings"
	DocumentTelemetry = "telemetry"
	DocumentLegal     = "legal"
	DocumentPrices    = "prices"    // model prices entered by instance admins
	DocumentSetup     = "setup"     // what the first run has created before its end
	DocumentBootstrap = "bootstrap" // the applied values of the configuration, sealed
)

// InstanceDocument reads a document. It returns the zero Document if none is stored.
func (s *Store) InstanceDocument(ctx context.Context, kind string) (Document, error) {
	d, err := one(ctx, s, scanDocument, `SELECT body, version, updated_us FROM instance_documents WHERE kind = $1`, kind)
	if isAbsent(err) {
		return Document{}, nil
	}
	return d, err
}

// PutInstanceDocument replaces a document with the given version; 0 means that it is not stored yet. It
// returns [errs.NotFound] if the document has another version.
func (s *Store) PutInstanceDocument(ctx context.Context, kind, body string, version int64) (Document, error) {
	if version == 0 {
		return returning(ctx, s, scanDocument, `INSERT INTO instance_documents (kind, body, version, updated_us) VALUES ($1, $2, 1, {now})
			ON CONFLICT (kind) DO NOTHING RETURNING body, version, updated_us`, kind, body)
	}
	return returning(ctx, s, scanDocument, `UPDATE instance_documents SET body = $2, version = version + 1, updated_us = {now}
		WHERE kind = $1 AND version = $3
		RETURNING body, version, updated_us`, kind, body, version)
}

// SetupFacts holds the numbers in the checklist of an instance admin. They cover all tenants and reveal no
// single one.
type SetupFacts struct {
	Apps, Installed, Unplaced, Tenants, Users, Repositories, ModelKeys, Completed, RunsOfMonth int64

	Connections, Connected int64 // enabled connections to code hosts; those that work

	Routed int64 // tenants whose model policy routes all required tiers
}

// SetupFacts counts the rows for the checklist.
func (s *Store) SetupFacts(ctx context.Context) (SetupFacts, error) {
	out, err := one(ctx, s, func(r scanner, f *SetupFacts) error {
		return r.Scan(&f.Apps, &f.Installed, &f.Unplaced, &f.Tenants, &f.Users, &f.Repositories, &f.ModelKeys, &f.Completed,
			&f.RunsOfMonth, &f.Connections, &f.Connected)
	}, `SELECT (SELECT COUNT(*) FROM apps), (SELECT COUNT(*) FROM installations WHERE state = 'active'), (SELECT COUNT(*)
		FROM installations WHERE state = 'unplaced'),
		(SELECT COUNT(*) FROM tenants), (SELECT COUNT(*) FROM users), (SELECT COUNT(*) FROM repositories WHERE state = 'active'),
			(SELECT COUNT(*) FROM llm_credentials),
		(SELECT COUNT(*) FROM (SELECT 1 FROM review_runs WHERE state = 'completed' LIMIT 1) x), (SELECT COUNT(*) FROM review_runs
			WHERE created_us > {now} - 2592000000000),
		(SELECT COUNT(*) FROM provider_connections WHERE enabled = TRUE), (SELECT COUNT(*) FROM provider_connections WHERE enabled = TRUE
			AND state = 'active')`)
	if err != nil {
		return out, err
	}
	policies, err := many(ctx, s, value[string], `SELECT body FROM settings WHERE kind = $1 AND repository_id = ''`, SettingModelPolicy)
	for _, body := range policies {
		var p domain.ModelPolicy
		if json.Unmarshal([]byte(body), &p) == nil && p.Complete() { // an unreadable policy routes nothing
			out.Routed++
		}
	}
	return out, err
}

// DropRuns deletes at most limit runs of each kind that ended more than age ago, with their data except
// costs. It deletes dry runs, and review runs, triage runs and analyses of failed jobs of closed pull requests. It keeps the dry run of
// an undecided onboarding, and the runs of open pull requests, because later reviews need them.
func (s *Store) DropRuns(ctx context.Context, age time.Duration, limit int) (int64, error) {
	dropped, err := s.dropReviews(ctx, age, limit)
	if err != nil {
		return dropped, err
	}
	for _, text := range []string{
		`DELETE FROM triage_runs WHERE id IN (SELECT r.id FROM triage_runs r JOIN pull_requests p ON p.id = r.pull_request_id
			WHERE r.state IN ('completed', 'failed', 'cancelled') AND COALESCE(r.finished_us, r.created_us) < {now} - $1 AND p.state <> 'open'
			ORDER BY r.created_us LIMIT $2)`,
		`DELETE FROM ci_analyses WHERE id IN (SELECT a.id FROM ci_analyses a LEFT JOIN pull_requests p ON p.id = a.pull_request_id
			WHERE a.state IN ('completed', 'failed', 'cancelled') AND COALESCE(a.finished_us, a.created_us) < {now} - $1
			AND COALESCE(p.state, 'closed') <> 'open' ORDER BY a.created_us LIMIT $2)`,
		`DELETE FROM dry_runs WHERE id IN (SELECT d.id FROM dry_runs d WHERE d.state IN ('completed', 'failed', 'cancelled')
			AND COALESCE(d.finished_us, d.created_us) < {now} - $1
			AND NOT EXISTS (SELECT 1 FROM onboardings o WHERE o.dry_run_id = d.id AND o.state IN ('waiting', 'trying', 'proposed'))
			ORDER BY d.created_us LIMIT $2)`,
	} {
		n, err := s.exec(ctx, text, age.Microseconds(), limit)
		dropped += n
		if err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

func (s *Store) dropReviews(ctx context.Context, age time.Duration, limit int) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM review_runs WHERE id IN (SELECT r.id FROM review_runs r JOIN pull_requests p ON p.id = r.pull_request_id
		WHERE r.state IN ('completed', 'failed', 'cancelled', 'superseded', 'skipped') AND r.finished_us < {now} - $1 AND p.state <> 'open'
		ORDER BY r.finished_us LIMIT $2)`, age.Microseconds(), limit)
	if err != nil || n == 0 {
		return n, err
	}
	const forgotten = `(SELECT p.id FROM pull_requests p WHERE p.state <> 'open'
		AND NOT EXISTS (SELECT 1 FROM review_runs r WHERE r.pull_request_id = p.id))`
	for _, table := range []string{"suppressions", "rule_proposals"} { // their rows outlive the finding that led to them
		if _, err = s.exec(ctx, `UPDATE `+table+` SET finding_id = NULL WHERE finding_id IN (SELECT f.id FROM findings f
			WHERE f.tenant_id = `+table+`.tenant_id AND f.pull_request_id IN `+forgotten+`)`); err != nil {
			return n, err
		}
	}
	_, err = s.exec(ctx, `DELETE FROM findings WHERE pull_request_id IN `+forgotten)
	return n, err
}

// InstanceAdmins lists the admins of the instance, oldest first.
func (s *Store) InstanceAdmins(ctx context.Context) ([]User, error) {
	return many(ctx, s, scanUser, `SELECT id, display_name, instance_admin FROM users WHERE instance_admin = TRUE ORDER BY created_us, id`)
}

// SetInstanceAdmin grants or revokes the instance admin role. It returns false if the person is the last
// instance admin or does not exist.
func (s *Store) SetInstanceAdmin(ctx context.Context, user string, admin bool) (changed bool, err error) {
	return changed, s.Atomically(ctx, func(ctx context.Context) error {
		// The lock keeps two admins from revoking each other's role concurrently.
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM instance_setup WHERE id = 'instance' {forupdate}`,
			nil); err != nil {
			return err
		}
		changed, err = s.exec1(ctx, `UPDATE users SET instance_admin = $2 WHERE id = $1
			AND ($2 = TRUE OR instance_admin = FALSE OR EXISTS (SELECT 1 FROM users o WHERE o.instance_admin = TRUE AND o.id <> $1))`, user, admin)
		return err
	})
}
