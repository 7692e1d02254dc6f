package calibrate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/calibrate"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// desk is a repository whose findings get outcomes.
type desk struct {
	*featuretest.World
	t   *testing.T
	raw storetest.Raw
	run store.Run
}

// each runs a test on SQLite and PostgreSQL, because a recount depends on the clock and on locks of the database.
func each(t *testing.T, body func(t *testing.T, d *desk)) {
	t.Helper()
	t.Parallel()
	storetest.Both.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		d := &desk{World: featuretest.NewWorld(t, s), t: t, raw: raw}
		d.run = storetest.Run(t, s, storetest.PullRequest(t, s, d.Repository, 70), "calibrate")
		body(t, d)
	})
}

func bug() domain.Finding {
	return domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/nil-deref", Category: domain.CategoryBug,
		Severity: domain.Medium, Confidence: 0.72, Anchor: domain.Anchor{Path: "shop/a.go"}}
}

// found stores n findings like f and returns their ids.
func (d *desk) found(f domain.Finding, n int) (ids []string) {
	d.t.Helper()
	many := make([]domain.Finding, n)
	for i := range many {
		many[i] = f
		many[i].ID, many[i].Title, many[i].Route, many[i].State = domain.NewID("fnd"), "t", domain.RouteInline, domain.FindingOpen
		many[i].Fingerprints.Exact = many[i].ID
	}
	kept, err := d.Store.SaveRunFindings(bg, d.run, many)
	testkit.OK(d.t, err)
	for _, k := range kept {
		ids = append(ids, k.ID)
	}
	return ids
}

// rated stores n findings like f, which people refuse in turns.
func (d *desk) rated(f domain.Finding, n int, kind domain.OutcomeKind, people ...string) []string {
	d.t.Helper()
	ids := d.found(f, n)
	for i, id := range ids {
		d.rate(id, kind, people[i%len(people)])
	}
	return ids
}

func (d *desk) rate(id string, kind domain.OutcomeKind, person string) {
	d.t.Helper()
	_, err := d.Store.AddOutcome(bg, d.Tenant, domain.Outcome{Finding: id, Kind: kind, Person: person})
	testkit.OK(d.t, err)
}

// recount counts the outcomes as after some time.
func (d *desk) recount(after time.Duration) {
	d.t.Helper()
	us := after.Microseconds()
	d.raw(`UPDATE calibration_checks SET checked_us = checked_us - $1`, us)
	d.raw(`UPDATE calibrations SET moved_us = moved_us - $1`, us)
	testkit.OK(d.t, d.Features.Calibrate.Sweep(bg, 10))
}

// said describes the calibrations by category.
func (d *desk) said() string {
	d.t.Helper()
	rows, err := d.Store.Calibrations(bg, d.Tenant, d.Repository.ID, store.Cursor{}, 50)
	testkit.OK(d.t, err)
	var out []string
	for _, c := range domain.Categories() {
		for _, v := range rows {
			if v.Category == string(c) {
				out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d/%d/%d %d>%d %s", v.Category, v.Taken, v.Refused, v.Ignored, v.ThresholdPPM/1000, v.ImpliedPPM/1000, v.Held)))
			}
		}
	}
	return strings.Join(out, "; ")
}

func (d *desk) moves() int {
	d.t.Helper()
	entries, err := d.Store.AuditEntries(bg, d.Tenant, store.AuditFilter{Action: "calibration.move", Limit: 10})
	testkit.OK(d.t, err)
	return len(entries)
}

const (
	hour = time.Hour
	week = 7 * 24 * time.Hour
)

// From 50 outcomes on the threshold moves, by at most 0.1 in a week, with an audit entry each. It returns when the outcomes
// are too old.
func TestAThresholdMovesSlowly(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.rated(bug(), 49, domain.OutcomeDismissed, "usr_1", "usr_2")
		second := bug()
		second.Confidence = 0.82
		d.recount(0)
		testkit.Equal(t, "49 outcomes", d.said(), "bug 0/49/0 0>0 outcomes")
		d.rated(second, 30, domain.OutcomeThumbsDown, "usr_1", "usr_2")
		d.recount(hour - time.Second)
		testkit.Equal(t, "in the hour", d.said(), "bug 0/49/0 0>0 outcomes")
		d.recount(hour)
		testkit.Equal(t, "79 outcomes", d.said(), "bug 0/79/0 800>850 week")
		d.rated(bug(), 1, domain.OutcomeFixed, "")
		d.recount(hour)
		testkit.Equal(t, "an hour later", d.said(), "bug 1/79/0 800>850 week")
		d.recount(week - 2*hour)
		testkit.Equal(t, "just before a week", d.said(), "bug 1/79/0 800>850 week")
		testkit.Equal(t, "entries of the log", d.moves(), 1)
		d.recount(24 * hour)
		testkit.Equal(t, "a week later", d.said(), "bug 1/79/0 850>850")
		testkit.Equal(t, "entries of the log", d.moves(), 2)
		d.raw(`UPDATE finding_outcomes SET created_us = created_us - $1`, (calibrate.Window + hour).Microseconds())
		d.recount(week)
		testkit.Equal(t, "old outcomes", d.said(), "bug 0/0/0 750>0 week")
		d.recount(week)
		testkit.Equal(t, "and a week later", d.said(), "bug 0/0/0 700>0 outcomes")
	})
}

// Outcomes of findings that calibration must not touch do not count: checks, secrets, security of High and above, and mandatory
// rules. Categories without a threshold are counted, and get none.
func TestWhatDoesNotCount(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		rule, err := d.Store.CreateRule(bg, d.Tenant, store.Rule{Repository: d.Repository.ID, Title: "r", Instruction: "i", Severity: "medium", Mandatory: true, Enabled: true})
		testkit.OK(t, err)
		for _, change := range []func(f *domain.Finding){
			func(f *domain.Finding) { f.Category, f.Severity = domain.CategorySecurity, domain.High },
			func(f *domain.Finding) { f.Category, f.Severity = domain.CategorySecurity, domain.Critical },
			func(f *domain.Finding) {
				f.Origin, f.Category, f.RuleID = domain.OriginStatic, domain.CategorySecurity, "semgrep/x"
			},
			func(f *domain.Finding) {
				f.Origin, f.Category, f.RuleID = domain.OriginSecret, domain.CategorySecret, "gitleaks/x"
			},
			func(f *domain.Finding) { f.Category, f.RuleID = domain.CategoryRule, domain.RulePrefix+rule.ID },
			func(f *domain.Finding) { f.Category = domain.CategoryDocs },
		} {
			f := bug()
			change(&f)
			d.rated(f, 60, domain.OutcomeDismissed, "usr_1", "usr_2")
		}
		d.recount(0)
		testkit.Equal(t, "calibrations", d.said(), "docs 0/60/0 0>0")
		rows, err := d.Store.Suppressions(bg, d.Tenant, d.Repository.ID, store.SuppressionsFilter{Limit: 10})
		testkit.OK(t, err)
		var proposed []string
		for _, v := range rows {
			proposed = append(proposed, v.Matches)
		}
		slices.Sort(proposed)
		testkit.Equal(t, "proposed", strings.Join(proposed, " "), "llm/correctness/nil-deref semgrep/x")
	})
}

// One person cannot raise a threshold, and a crowd on one finding counts as one.
func TestAPoisonedCrowd(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.rated(bug(), 60, domain.OutcomeDismissed, "usr_1")
		d.recount(0)
		testkit.Equal(t, "one person", d.said(), "bug 0/60/0 0>750 people")
		one := d.found(bug(), 1)[0]
		for i := range 60 {
			d.rate(one, domain.OutcomeThumbsDown, fmt.Sprint("usr_", i))
		}
		d.recount(hour)
		testkit.Equal(t, "a crowd on one finding", d.said(), "bug 0/61/0 0>750 people")
		d.rated(bug(), 10, domain.OutcomeIgnored, "")
		d.recount(hour)
		testkit.Equal(t, "ignored at merge", d.said(), "bug 0/61/10 0>750 people")
	})
}

// A recount that fails leaves nothing behind and is done again. Eight at once move a threshold once.
func TestARecountIsDoneOnce(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.rated(bug(), 60, domain.OutcomeDismissed, "usr_1", "usr_2")
		broken := calibrate.New(calibrate.Config{Store: d.Store, Audit: d.Features.Audit, Proposals: failing{}})
		if err := broken.Sweep(bg, 10); !errors.Is(err, errBroken) {
			t.Errorf("error %v", err)
		}
		testkit.Equal(t, "after the failure", d.said(), "")
		testkit.Equal(t, "entries of the log", d.moves(), 0)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := d.Features.Calibrate.Recount(bg, d.Tenant, d.Repository.ID); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		testkit.Equal(t, "after the recounts", d.said(), "bug 0/60/0 750>750")
		testkit.Equal(t, "entries of the log", d.moves(), 1)
	})
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) ProposeUseless(context.Context, domain.Tenant, string, []domain.UselessRule) error {
	return errBroken
}
