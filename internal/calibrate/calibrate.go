// Package calibrate learns from the outcomes of findings how much confidence a comment needs in a repository.
//
// For each category it counts which findings were taken and which were refused, and moves the threshold of Medium findings
// slowly towards the one that the counts imply. It reports rules whose findings are nearly always refused, so that leaving
// them out is proposed. Package engine applies the thresholds.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Window is how old an outcome may be to count (design choice). It lets a threshold return when the hidden findings have no
// new outcomes.
const Window = 180 * 24 * time.Hour

// Proposals proposes to leave useless rules out.
type Proposals interface {
	// ProposeUseless proposes a suppression of each rule once, and withdraws undecided proposals of rules that are not useless any
	// more. It joins the caller's transaction.
	ProposeUseless(ctx context.Context, t domain.Tenant, repository string, rules []domain.UselessRule) error
}

// Config holds the parts of the service.
type Config struct {
	Store     *store.Store
	Audit     *audit.Log
	Proposals Proposals
}

// Service calibrates repositories. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }

// Sweep counts the outcomes of at most limit repositories that are due. The failure of one repository does not prevent the
// others.
func (s *Service) Sweep(ctx context.Context, limit int) error {
	due, err := s.Store.DueCalibrations(ctx, limit)
	for _, k := range due {
		if failed := s.Recount(ctx, domain.Tenant{ID: k.Tenant}, k.Repository); failed != nil {
			err = errors.Join(err, fmt.Errorf("calibrate repository %s: %w", k.Repository, failed))
		}
	}
	return err
}

// Recount counts the outcomes of a repository, moves its thresholds, and proposes to leave useless rules out, in one
// transaction. It does nothing if they were counted in the last hour. Errors: [errs.NotFound].
func (s *Service) Recount(ctx context.Context, t domain.Tenant, repository string) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		started, err := s.Store.StartCalibration(ctx, t, repository)
		if err != nil || !started {
			return err
		}
		now, err := s.Store.Now(ctx)
		if err != nil {
			return err
		}
		samples, err := s.samples(ctx, t, repository, now-Window.Microseconds())
		if err != nil {
			return err
		}
		if err := s.moveThresholds(ctx, t, repository, samples, now); err != nil {
			return err
		}
		return s.Proposals.ProposeUseless(ctx, t, repository, uselessRules(suppressible(samples)))
	})
}

// samples groups the outcomes since a time by finding, the newest first. It leaves out findings of mandatory rules.
func (s *Service) samples(ctx context.Context, t domain.Tenant, repository string, sinceUS int64) ([]sample, error) {
	rows, err := s.Store.RatedFindings(ctx, t, repository, sinceUS)
	if err != nil {
		return nil, err
	}
	var out []sample
	at, users, mandatory := map[string]int{}, map[string]string{}, map[string]bool{}
	for _, v := range rows {
		i, known := at[v.Finding]
		if !known {
			if _, asked := mandatory[v.RuleID]; !asked && strings.HasPrefix(v.RuleID, domain.RulePrefix) {
				if mandatory[v.RuleID], err = policy.MandatoryRule(ctx, s.Store, t, repository, domain.Finding{RuleID: v.RuleID}); err != nil {
					return nil, err
				}
			}
			severity, _ := domain.ParseSeverity(v.Severity)
			i, at[v.Finding] = len(out), len(out)
			out = append(out, sample{finding: v.Finding, rule: v.RuleID, category: v.Category, severity: severity, confidence: v.ConfidencePPM,
				against: map[string]bool{}})
		}
		one, weight := &out[i], v.Kind.Weight()
		one.score += weight
		one.byPeople = one.byPeople || v.Kind != domain.OutcomeIgnored
		if weight < 0 && v.Person != "" {
			if users[v.Person] == "" {
				if users[v.Person], err = store.UserOfPerson(ctx, s.Store, t, v.Person); err != nil {
					return nil, err
				}
			}
			one.against[users[v.Person]] = true
		}
	}
	free := out[:0]
	for _, v := range out {
		if !mandatory[v.rule] {
			free = append(free, v)
		}
	}
	return free, nil
}

// suppressible returns the findings that a suppression of their rule may cover.
func suppressible(samples []sample) (out []sample) {
	for _, v := range samples {
		if v.asFinding().Suppressible(domain.ScopeRule) && domain.NamesDefect(v.rule) {
			out = append(out, v)
		}
	}
	return out
}

func (s sample) asFinding() domain.Finding {
	return domain.Finding{RuleID: s.rule, Category: s.category, Severity: s.severity}
}

// ofModel reports whether a model found it. The rules of models have prefixes of their own.
func (s sample) ofModel() bool {
	return strings.HasPrefix(s.rule, "llm/") || strings.HasPrefix(s.rule, domain.RulePrefix)
}

// counts reports whether the finding counts for the threshold of its category: not a finding of a check, a secret, or a
// security finding of High and above.
func (s sample) counts() bool {
	return s.ofModel() && s.asFinding().Suppressible(domain.ScopeCategory)
}

// maxCategories bounds the calibrations of a repository that are read: one for each category.
const maxCategories = 50

// moveThresholds stores the counts of each category and moves its threshold by at most one step.
func (s *Service) moveThresholds(ctx context.Context, t domain.Tenant, repository string, samples []sample, now int64) error {
	curves := map[domain.Category]*curve{}
	for _, v := range samples {
		if v.counts() {
			if curves[v.category] == nil {
				curves[v.category] = &curve{}
			}
			curves[v.category].add(v)
		}
	}
	rows, err := s.Store.Calibrations(ctx, t, repository, store.Cursor{}, maxCategories)
	if err != nil {
		return err
	}
	before := map[domain.Category]store.Calibration{}
	for _, v := range rows {
		before[domain.Category(v.Category)] = v
	}
	for _, category := range domain.Categories() {
		c, was := curves[category], before[category]
		if c == nil && was.ID == "" {
			continue
		}
		if c == nil { // the last of its outcomes is too old or was taken back
			c = &curve{}
		}
		was.Repository, was.Category = repository, string(category)
		if err := s.move(ctx, t, was, c, now); err != nil {
			return err
		}
	}
	return nil
}

// record is the audit log's record of a calibration.
type record struct {
	Category  string  `json:"category" audit:"track"`
	Threshold float64 `json:"threshold" audit:"track"`
	Implied   float64 `json:"implied" audit:"track"`
	Taken     int64   `json:"taken" audit:"track"`
	Refused   int64   `json:"refused" audit:"track"`
}

func recordOf(v store.Calibration) record {
	threshold := v.ThresholdPPM
	if threshold == 0 {
		threshold = base
	}
	return record{Category: v.Category, Threshold: float64(threshold) / whole, Implied: float64(v.ImpliedPPM) / whole, Taken: v.Taken,
		Refused: v.Refused}
}

// move stores the counts of a category, with the threshold that follows the one of before.
func (s *Service) move(ctx context.Context, t domain.Tenant, before store.Calibration, c *curve, now int64) error {
	after, all := before, c.all()
	after.Taken, after.Refused, after.Ignored = all.Taken, all.Refused, all.Ignored
	after.Buckets = store.JSON(c.filled())
	if domain.Category(before.Category).HasThreshold() {
		after.ImpliedPPM = c.implied()
		from := before.ThresholdPPM
		if from == 0 {
			from = base
		}
		to, held := c.next(from, now-before.MovedUS)
		after.Held = string(held)
		if to != from {
			after.ThresholdPPM, after.MovedUS = to, now
		}
	}
	after, err := s.Store.SaveCalibration(ctx, t, after)
	if err != nil || recordOf(after).Threshold == recordOf(before).Threshold {
		return err
	}
	return s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "calibration.move", Target: audit.Target{Kind: "calibration", ID: after.ID},
		Before: recordOf(before), After: recordOf(after)})
}
