package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// personal are the rows that a member, teams and alerts have.
type personal struct {
	person       string // a member of the victim alone
	availability store.Availability
	push         store.PushSubscription
	team         store.Team
	alert        store.BudgetAlert
}

var personalIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		p := &v.personal
		p.person = must2(s.CreateUser(bg, "Hubot", false))(t).ID
		testkit.OK(t, s.SetMember(bg, v.Tenant, p.person, domain.RoleMember, "hand"))
		must2(s.PutPersonalSettingAt(bg, v.Tenant, p.person, store.SettingAssignment, "{}", 0))(t)
		p.availability = must2(s.CreateAvailability(bg, v.Tenant, store.Availability{User: p.person, ToUS: time.Now().Add(time.Hour).UnixMicro(), Kind: "away"}))(t)
		testkit.OK(t, s.ReplaceExclusions(bg, v.Tenant, []string{p.person}))
		must2(store.AddRecord(bg, s, v.Tenant, store.Assignment{Record: store.Record{Repository: v.Repository.ID}, PullRequest: v.Pull.ID, Number: 1, Mode: "shadow", Suggestions: "[]", Agreed: new(true)}))(t)
		storetest.Raw(func(text string, args ...any) { raw(t, s, text, args...) }).RequestReview(v.Pull, p.person, 7)
		p.push = must2(s.CreatePushSubscription(bg, v.Tenant, store.PushSubscription{ID: "psh_" + p.person, User: p.person, EndpointHash: "h", Endpoint: []byte("e"), Auth: []byte("a"), Topics: "[]"}))(t)
		p.team = must2(s.CreateTeam(bg, v.Tenant, store.Team{Name: "Core", Members: []string{p.person}, Repositories: []string{v.Repository.ID}}))(t)
		p.alert = must2(s.AddBudgetAlert(bg, v.Tenant, store.BudgetAlert{Repository: v.Repository.ID, Period: "2026-01", Threshold: 50}))(t)
		done, _, err := s.CreateRun(bg, v.Tenant, store.Run{Repository: v.Repository.ID, PullRequest: v.Pull.ID, Number: 1, HeadSHA: v.Pull.HeadSHA, TriggerKey: "cmd:8", TriggerEvent: "command"})
		testkit.OK(t, err)
		for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}, {From: domain.RunPublishing, To: domain.RunCompleted}} {
			must2(s.MoveRun(bg, v.Tenant, done.ID, m))(t)
		}
	},
	foreign: func(v victim) map[string][]any {
		p, repo, far := v.personal, v.Repository.ID, time.Now().Add(time.Hour).UnixMicro()
		team := p.team
		team.Name = "evil"
		return map[string][]any{
			"PersonalSetting":        {p.person, store.SettingAssignment},
			"PutPersonalSettingAt":   {p.person, store.SettingAssignment, `{"evil":1}`, int64(1)},
			"CreateAvailability":     {store.Availability{User: p.person, ToUS: far, Kind: "away"}},
			"Availability":           {p.person, true, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeleteAvailability":     {p.person, p.availability.ID},
			"Members":                {[]string{p.person}},
			"Exclusions":             {},
			"ReplaceExclusions":      {[]string{p.person, v.user}},
			"Assignments":            {repo, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"ShadowResults":          {repo},
			"Workload":               {repo},
			"CreatePushSubscription": {store.PushSubscription{ID: "psh_new", User: p.person, EndpointHash: "new", Endpoint: []byte("e"), Auth: []byte("a"), Topics: "[]"}},
			"PushSubscriptions":      {p.person},
			"PushSubscription":       {p.person, p.push.ID},
			"UpdatePushSubscription": {store.PushSubscription{ID: p.push.ID, User: p.person, Version: 1, Label: "evil", State: "gone", Topics: "[]"}},
			"RecordPush":             {p.push.ID, true},
			"DeletePushSubscription": {p.person, p.push.ID},
			"CreateTeam":             {store.Team{Name: "evil", Members: []string{p.person}, Repositories: []string{repo}}},
			"UpdateTeam":             {team},
			"Teams":                  {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"Team":                   {p.team.ID},
			"DeleteTeam":             {p.team.ID},
			"OwnRepositories":        {[]string{repo}},
			"AddBudgetAlert":         {store.BudgetAlert{Repository: repo, Period: "2026-01", Threshold: 80}},
			"BudgetAlerts":           {"", store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"BudgetAlert":            {p.alert.ID},
			"AcknowledgeBudgetAlert": {p.alert.ID, p.person},
			"Costs":                  {"", store.CostsByRepository, int64(0), int64(1 << 60)},
			"DayCosts":               {"", store.CostsByKind, int64(0), int64(1 << 60), []string{store.RunKindReview}},
			"RunOutcomes":            {store.FigureScope{To: 1 << 60, Repository: repo}},
			"FirstReviews":           {store.FigureScope{To: 1 << 60, Team: p.team.ID}},
			"CleanChanges":           {store.FigureScope{To: 1 << 60, Team: p.team.ID}},
			"FindingFigures":         {store.FigureScope{To: 1 << 60}},
			"RecentActivity":         {},
			"Waiting":                {store.Viewer{User: p.person, Admin: true, Least: "manage"}, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"CountWaiting":           {store.Viewer{User: p.person, Admin: true, Least: "manage"}},
			"ConnectionHealth":       {},
		}
	},
	instance: map[string]string{
		"PushKey": "one key pair for the instance", "CreatePushKey": "one key pair for the instance", "DropAvailability": "retention", "DropFormerMemberData": "retention",
		"Now": "the database's clock",
	},
}
