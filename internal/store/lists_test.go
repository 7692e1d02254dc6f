package store_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// manyEntries returns more than the number of parameters that the engine takes; see the store's
// listSize.
func manyEntries(s *store.Store) int {
	if s.Engine() == "sqlite" {
		return 33_000
	}
	return 66_000
}

// fewer are methods that write a row for each entry, with the number of entries to try. The columns of
// all rows exceed the parameters of an engine, or each row has a statement of its own, so that its text
// does not grow with the list.
var fewer = map[string]int{
	"AddReviewedHunks":       15_000, // of 5 columns
	"PlanNotes":              600,    // a statement for each note
	"ReplaceHostMembers":     20_000, // of 7 columns
	"SaveGuidelineFiles":     600,    // a statement for each file
	"WantTriageLabels":       600,    // a statement for each label
	"SyncAccessRepositories": store.MaxAccessRepositories,
	"PutMCPTools":            12_000, // of 6 columns
	"AppendAudit":            600,    // a statement for each entry; its hashes go in parts
	"SaveRunFindings":        600,    // three statements for each finding
	"CreateDryRun":           600,    // one for each pull request, at most 50
	"SetDryRunPulls":         600,
	"ReplaceFoundLinks":      600, // one for each issue, at most ten
	"PutACChecks":            600,
	"ReplaceThumbs":          600, // a statement for each thumb
}

// listArgs returns the arguments after context and tenant of methods that take a list and are not in foreign().
func listArgs(v victim) map[string][]any {
	return map[string][]any{
		"CreateIdentityProvider": {store.IdentityProvider{Slug: "lists", Issuer: "https://lists.example", ClientSecret: []byte("sealed"), Scopes: "[]", Tenants: []string{v.Tenant.ID}}},
		"UpdateIdentityProvider": {v.idp, false},
		"KnownDeliveries":        {v.App.ID, []string{"guid"}},
		"SweepOfHost":            {v.App.ID, v.Installation.ExternalID, []domain.HostID{v.Repository.ExternalID}},
		"JobsAbout":              {[]string{"dlv_1"}},
		"RunsForWork":            {[]string{v.Run.ID}},
		"RecordHeartbeat":        {store.Process{ID: "api_1", Keys: []string{"1a2b3c4d"}}, map[domain.Lane]int(nil)},
		"MarkDispatched":         {[]store.Due{{ID: "job"}}},
		"EnqueueSyncs":           {[]string{"gitlab"}, time.Hour, time.Minute, 1},
		"EnqueueTrackerChecks":   {[]string{"linear"}, time.Hour, time.Minute, 1},
		"RecordOutcome":          {"job", int64(1), domain.JobOutcome{Notes: []string{"A note."}}, ""},
		"PutCodeBlobs":           {[]store.CodeBlob{{Blob: "1:Go:z", Content: []byte("text")}}},
		"SaveRunFindings":        {v.Run, []domain.Finding{finding("z", "Z")}},
	}
}

// No list is too long for a statement. Every method that takes a list is tried with more entries than
// the parameters that an engine takes, and only the last one exists. So a visible review with many
// findings can always be completed.
func TestListsOfAnyLength(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tried := 0
		for m := range reflect.TypeFor[*store.Store]().Methods() {
			if !takesList(m) {
				continue
			}
			tried++
			t.Run(m.Name, func(t *testing.T) { tryList(t, s, m) })
		}
		if tried < 15 {
			t.Errorf("only %d methods take a list", tried)
		}
	})
}

// takesList reports whether a parameter is a list, or a struct of this package
// with one.
func takesList(m reflect.Method) bool {
	for i := 2; i < m.Type.NumIn(); i++ {
		in := m.Type.In(i)
		if isList(in) {
			return true
		}
		for f := 0; in.Kind() == reflect.Struct && f < in.NumField(); f++ {
			if in.Field(f).IsExported() && isList(in.Field(f).Type) {
				return true
			}
		}
	}
	return false
}

func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

func tryList(t *testing.T, s *store.Store, m reflect.Method) {
	v := seedVictim(t, s)
	scoped := m.Type.In(2) == tenantType
	given, there := listArgs(v)[m.Name]
	if scoped {
		if own, is := v.foreign()[m.Name]; is {
			given, there = own, true
		}
	}
	if !there {
		t.Fatal("it takes a list and is not tried: add its arguments to listArgs")
	}
	n := manyEntries(s)
	if few := fewer[m.Name]; few > 0 {
		n = few
	}
	in := []reflect.Value{reflect.ValueOf(s), reflect.ValueOf(bg)}
	if scoped {
		in = append(in, reflect.ValueOf(v.Tenant))
	}
	for _, a := range given {
		in = append(in, lengthened(reflect.ValueOf(a), n))
	}
	invoke := m.Func.Call
	if m.Type.IsVariadic() {
		invoke = m.Func.CallSlice
	}
	for _, out := range invoke(in) {
		if err, isErr := out.Interface().(error); isErr && !errs.Is(err, errs.NotFound) && !errs.Is(err, errs.Conflict) {
			t.Fatalf("%d entries: %v", n, err)
		}
	}
}

// lengthened returns a list with n entries, the given ones last. The lists of a struct are made longer.
// Other values are returned unchanged.
func lengthened(v reflect.Value, n int) reflect.Value {
	switch {
	case isList(v.Type()):
		out := reflect.MakeSlice(v.Type(), n, n)
		for i := range n - v.Len() {
			novel(out.Index(i), i)
		}
		reflect.Copy(out.Slice(n-v.Len(), n), v)
		return out
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() && isList(f.Type()) {
				f.Set(lengthened(f, n))
			}
		}
		return out
	}
	return v
}

// novel makes an entry that differs from all others.
func novel(v reflect.Value, i int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[domain.HostID]() { // a number, like those in columns of numbers
			v.SetString(fmt.Sprint(1<<40 + int64(i)))
			return
		}
		v.SetString(fmt.Sprintf("list-%06d", i))
	case reflect.Int64:
		v.SetInt(1<<40 + int64(i))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, "list-%027d", i))
		}
	case reflect.Struct:
		switch entry := v.Addr().Interface().(type) {
		case *domain.Finding:
			*entry = finding(fmt.Sprint("list-", i), "List")
			return
		case *store.HostMember:
			*entry = store.HostMember{HostUser: domain.NumberID(1<<40 + int64(i)), Permission: "read"}
			return
		case *store.CodeBlob:
			*entry = store.CodeBlob{Blob: fmt.Sprint("list-", i), Content: []byte("text")}
			return
		case *domain.Outcome:
			*entry = domain.Outcome{Kind: domain.OutcomeThumbsUp, Person: fmt.Sprint("list-", i)}
			return
		case *store.Repository:
			*entry = store.Repository{ExternalID: domain.NumberID(1<<40 + int64(i)), Owner: "list", Name: fmt.Sprint("list-", i)}
			return
		}
		for f := range v.NumField() {
			if v.Field(f).CanSet() {
				novel(v.Field(f), i)
			}
		}
	}
}

// A list that is longer than one statement's part is processed completely: its first entries, its last
// ones and its duplicates.
func TestListsAreServedWhole(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := seedVictim(t, s)
		var many []domain.Finding
		for i := range 1203 {
			many = append(many, finding(fmt.Sprint("many-", i), "Many"))
		}
		saved := must2(s.SaveRunFindings(bg, v.Run, many))(t)
		ids := make([]string, 0, len(saved)+1)
		for _, f := range saved {
			ids = append(ids, f.ID)
		}
		ids = append(ids, ids[0])
		const done = `SELECT COUNT(*) FROM findings WHERE posted_run = $1 AND state = 'resolved'`
		before := count(t, s, done, v.Run.ID) // of the victim
		testkit.OK(t, s.MarkPosted(bg, v.Tenant, v.Run.ID, ids))
		testkit.OK(t, s.SetFindingState(bg, v.Tenant, v.Pull.ID, "", ids, domain.FindingResolved))
		testkit.Equal(t, "posted and resolved", count(t, s, done, v.Run.ID)-before, len(saved))

		testkit.OK(t, s.AddReviewedHunks(bg, v.Tenant, v.Pull.ID, "main", v.Run.ID, ids))
		testkit.Equal(t, "hunks", len(must2(s.ReviewedHunks(bg, v.Tenant, v.Pull.ID, "main", domain.DepthFull))(t)), len(saved)+1) // and the victim's hunk

		own := must2(s.OwnRepositories(bg, v.Tenant, append(ids, v.Repository.ID, v.Repository.ID)))(t)
		testkit.Equal(t, "own repositories", fmt.Sprint(own), fmt.Sprint([]string{v.Repository.ID}))
	})
}

// Lists of every length use few statement texts, because these are kept prepared. The parts contain the
// list in its order.
func TestPartsHaveFewLengths(t *testing.T) {
	lengths := map[int]bool{}
	for n := range 1300 {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		var whole []int
		for part := range store.Parts(list) {
			lengths[len(part)] = true
			whole = append(whole, part...)
		}
		if !slices.Equal(whole, list) {
			t.Fatalf("the parts of %d entries are %v", n, whole)
		}
	}
	testkit.Equal(t, "lengths", fmt.Sprint(slices.Sorted(maps.Keys(lengths))), "[1 2 4 8 16 32 64 128 256 512]")
}

// The lists of IN are padded to few lengths with values that they already have.
func TestListsOfINHaveFewLengths(t *testing.T) {
	lengths := map[int]bool{}
	for n := 1; n <= 512; n++ {
		list := make([]int, n, n+1)
		for i := range list {
			list[i] = i
		}
		got := store.Padded(list)
		lengths[len(got)] = true
		if !slices.Equal(got[:n], list) || !slices.Equal(slices.Compact(got), list) || list[:n+1][n] != 0 {
			t.Fatalf("%d entries become %v", n, got)
		}
	}
	testkit.Equal(t, "lengths", fmt.Sprint(slices.Sorted(maps.Keys(lengths))), "[1 2 4 8 16 32 64 128 256 512]")
}
