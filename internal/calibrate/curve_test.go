package calibrate

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// at counts n findings at a confidence, so many of them taken. People refuse in turns.
func at(c *curve, confidence int64, takenOnes, n int, people ...string) {
	for i := range n {
		s := sample{confidence: confidence, score: 1, byPeople: true}
		if i >= takenOnes {
			s.score, s.against = -1, map[string]bool{people[i%len(people)]: true}
		}
		c.add(s)
	}
}

// The implied threshold lies above the ranges whose findings are certainly taken less often than 70 %, and below those that
// are certainly taken that often. It stays in its bounds.
func TestImpliedThreshold(t *testing.T) {
	t.Parallel()
	type group struct {
		confidence int64
		taken, of  int
	}
	for name, tt := range map[string]struct {
		groups []group
		want   int64
	}{
		"49 outcomes":                        {[]group{{710_000, 0, 49}}, 0},
		"50 outcomes":                        {[]group{{710_000, 0, 50}}, 750_000},
		"as the table supposes":              {[]group{{720_000, 35, 50}}, 700_000},
		"worse, and not certainly":           {[]group{{720_000, 32, 50}}, 700_000},
		"a good range above a bad one":       {[]group{{720_000, 10, 40}, {870_000, 38, 40}}, 750_000},
		"bad up to an empty range":           {[]group{{720_000, 5, 30}, {830_000, 5, 30}}, 850_000},
		"a bad range of 19":                  {[]group{{720_000, 0, 19}, {970_000, 60, 60}}, 700_000},
		"a bad range of 20":                  {[]group{{720_000, 0, 20}, {970_000, 60, 60}}, 750_000},
		"two bad ranges of 10":               {[]group{{720_000, 0, 10}, {770_000, 0, 10}, {970_000, 60, 60}}, 800_000},
		"a good range of 19 below":           {[]group{{660_000, 19, 19}, {970_000, 60, 60}}, 700_000},
		"a good range of 20 below":           {[]group{{660_000, 20, 20}, {970_000, 60, 60}}, 650_000},
		"all bad":                            {[]group{{720_000, 5, 30}, {830_000, 5, 30}, {920_000, 5, 30}, {970_000, 5, 30}}, 950_000},
		"bad beyond the bound":               {[]group{{970_000, 0, 80}}, 700_000},
		"good below the usual one":           {[]group{{660_000, 58, 60}}, 650_000},
		"good down to the bound":             {[]group{{660_000, 58, 60}, {560_000, 58, 60}, {510_000, 60, 60}}, 550_000},
		"bad below the usual one":            {[]group{{660_000, 3, 60}}, 700_000},
		"good below, and bad above":          {[]group{{660_000, 58, 60}, {720_000, 5, 60}}, 750_000},
		"of confidence 1, and beyond bounds": {[]group{{1_000_000, 30, 30}, {1_200_000, 30, 30}, {-5, 1, 1}}, 700_000},
	} {
		c := &curve{}
		for _, g := range tt.groups {
			at(c, g.confidence, g.taken, g.of, "mona", "olga")
		}
		testkit.Equal(t, name, c.implied(), tt.want)
	}
}

// Findings that were only ignored at merge are counted apart, and do not count as outcomes.
func TestIgnoredFindingsAreCountedApart(t *testing.T) {
	t.Parallel()
	c := &curve{}
	at(c, 710_000, 0, 49, "mona", "olga")
	for range 100 {
		c.add(sample{confidence: 710_000, score: domain.OutcomeIgnored.Weight()})
	}
	testkit.Equal(t, "implied", c.implied(), 0)
	testkit.Equal(t, "all", c.all(), domain.CalibrationBucket{Refused: 49, Ignored: 100})
}

// A finding counts once, by the sign of the sum of its weights.
func TestAFindingCountsOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kinds string
		score float64
		want  verdict
	}{
		{"fixed, and 60 times thumbs down", 1 - 60, refused}, {"fixed and dismissed", 1 - 0.8, taken}, {"fixed and thumbs down", 1 - 1, undecided},
		{"thumbs up and ignored", 0.7 - 0.15, taken}, {"thumbs up and dismissed", 0.7 - 0.8, refused},
	} {
		testkit.Equal(t, tt.kinds, sample{score: tt.score, byPeople: true}.verdict(), tt.want)
	}
	c := &curve{}
	c.add(sample{confidence: 900_000, score: -60, byPeople: true, against: map[string]bool{"mona": true}})
	testkit.Equal(t, "a crowd on one finding", c.all().Refused, 1)
}

// A threshold moves by at most 0.1 in a week towards the implied one.
func TestNextThreshold(t *testing.T) {
	t.Parallel()
	const day = week / 7
	bad := func(people ...string) *curve {
		c := &curve{}
		at(c, 720_000, 5, 40, people...)
		at(c, 880_000, 5, 40, people...)
		return c
	}
	good := &curve{}
	at(good, 660_000, 60, 60)
	at(good, 610_000, 60, 60)
	at(good, 570_000, 60, 60)
	elsewhere := &curve{} // other people refused findings that the threshold does not move over
	at(elsewhere, 720_000, 5, 40, "mona")
	at(elsewhere, 660_000, 5, 40, "olga", "otto")
	at(elsewhere, 970_000, 5, 40, "olga", "otto")
	few := &curve{}
	for _, tt := range []struct {
		name          string
		c             *curve
		now, movedAgo int64
		want          int64
		held          domain.CalibrationHold
	}{
		{"a whole step", bad("mona", "olga"), 700_000, week, 800_000, domain.HeldByWeek},
		{"a part of a step", bad("mona", "olga"), 800_000, week, 900_000, ""},
		{"within the week", bad("mona", "olga"), 800_000, week - 1, 800_000, domain.HeldByWeek},
		{"reached", bad("mona", "olga"), 900_000, day, 900_000, ""},
		{"refused by one person", bad("mona"), 700_000, week, 700_000, domain.HeldByPeople},
		{"refused by one person, nearly", bad("mona", "mona", "mona", "mona", "olga"), 700_000, week, 700_000, domain.HeldByPeople},
		{"raised, and the refusals are of one person", bad("mona"), 800_000, week, 700_000, domain.HeldByPeople},
		{"raised far, and the refusals are of one person", bad("mona"), 900_000, week, 800_000, domain.HeldByWeek},
		{"refused by one person where it moves", elsewhere, 700_000, week, 700_000, domain.HeldByPeople},
		{"the clock was set back", bad("mona", "olga"), 800_000, -day, 900_000, ""},
		{"back to the usual one, refused by one person", bad("mona"), 600_000, week, 700_000, domain.HeldByPeople},
		{"down", good, 700_000, week, 600_000, domain.HeldByWeek},
		{"down to the bound", good, 600_000, week, 550_000, ""},
		{"too few outcomes", few, 700_000, week, 700_000, domain.HeldByOutcomes},
		{"too few are left", few, 850_000, week, 750_000, domain.HeldByWeek},
		{"too few are left, from below", few, 650_000, week, 700_000, domain.HeldByOutcomes},
	} {
		to, held := tt.c.next(tt.now, tt.movedAgo)
		testkit.Equal(t, tt.name, fmt.Sprint(to, " ", held), fmt.Sprint(tt.want, " ", tt.held))
	}
}

// A rule is useless only if two people refused its findings. The severity is the highest that half of the refused findings reach.
func TestUselessRulesOfPeopleAndSeverities(t *testing.T) {
	t.Parallel()
	rule := func(people int, severities ...domain.Severity) []domain.UselessRule {
		var samples []sample
		for i := range 24 {
			samples = append(samples, sample{rule: "llm/correctness/nil-deref", score: -1, byPeople: true,
				severity: severities[i%len(severities)], against: map[string]bool{fmt.Sprint("usr_", i%people): true}})
		}
		return uselessRules(samples)
	}
	testkit.Equal(t, "of one person", len(rule(1, domain.Low)), 0)
	for _, tt := range []struct {
		severities []domain.Severity
		want       domain.Severity
	}{
		{[]domain.Severity{domain.Low}, domain.Low},
		{[]domain.Severity{domain.Low, domain.Low, domain.Critical}, domain.Low},
		{[]domain.Severity{domain.Low, domain.Medium}, domain.Medium},
		{[]domain.Severity{domain.Info, domain.Low, domain.High}, domain.Low},
		{[]domain.Severity{domain.Low, domain.High, domain.Critical, domain.Critical}, domain.Critical},
	} {
		got := rule(2, tt.severities...)
		if len(got) != 1 || got[0].Severity != tt.want {
			t.Errorf("%v: %+v", tt.severities, got)
		}
	}
}

// A rule is useless from 20 findings with outcomes on, if the upper bound of the share that is taken is under 0.3.
func TestUselessRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		taken, refused int
		useless        bool
	}{
		"19 refused": {0, 19, false}, "20 refused": {0, 20, true}, "2 of 20 taken": {2, 18, false}, "1 of 20 taken": {1, 19, true},
		"16 of 80 taken": {16, 64, false}, "15 of 80 taken": {15, 65, true},
	} {
		var samples []sample
		for i := range tt.taken + tt.refused {
			s := sample{rule: "llm/correctness/nil-deref", finding: fmt.Sprint(i), score: -1, byPeople: true,
				severity: domain.Low, against: map[string]bool{fmt.Sprint("usr_", i%2): true}}
			if i < tt.taken {
				s.score = 1
			}
			samples = append(samples, s, sample{rule: "llm/reliability/error-ignored", score: -0.15})
		}
		got := uselessRules(samples)
		if len(got) == 1 != tt.useless {
			t.Errorf("%s: %+v", name, got)
		}
		if tt.useless && (got[0].Taken != tt.taken || got[0].Refused != tt.refused || got[0].Finding != fmt.Sprint(tt.taken)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
