package keys_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance/keys"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

// fixture is a database whose secrets an old instance key protects.
type fixture struct {
	t          *testing.T
	store      *store.Store
	raw        storetest.Raw
	old, fresh secret.Secret
	world      storetest.World
	places     []place
}

// place is a stored secret.
type place struct {
	scope secret.Scope
	value string
}

func each(t *testing.T, body func(f *fixture)) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := &fixture{t: t, store: s, raw: raw, old: secret.NewToken(secret.InstanceKey), fresh: secret.NewToken(secret.InstanceKey)}
		f.world = storetest.Seed(t, s)
		ring := f.ring(f.old)
		_, err := audit.New(s, ring, telemetry.Discard()).Key(bg)
		testkit.OK(t, err)
		f.app(ring)
		for range 3 {
			tenant := storetest.Tenant(t, s)
			for range 4 {
				f.add(ring, tenant)
			}
		}
		body(f)
	})
}

// ring returns the keyring of a process that has these keys.
func (f *fixture) ring(configured ...secret.Secret) *secret.Keyring {
	f.t.Helper()
	text := ""
	for _, k := range configured {
		text += k.Reveal() + "\n"
	}
	ring, err := secret.NewKeyring(secret.New(text),
		secret.KeyStoreFuncs{LoadFunc: f.store.LoadKeyset, CreateFunc: f.store.CreateKeyset, KeptFunc: f.store.AfterCommit})
	testkit.OK(f.t, err)
	return ring
}

func (f *fixture) service(ring *secret.Keyring) *keys.Service {
	return &keys.Service{Store: f.store, Keyring: ring, Audit: audit.New(f.store, ring, telemetry.Discard())}
}

func name(r *secret.Keyring) string { return r.Keys()[0] }

// add stores a secret of a tenant.
func (f *fixture) add(ring *secret.Keyring, tenant domain.Tenant) {
	f.t.Helper()
	id := domain.NewID("crd")
	p := place{secret.Scope{Tenant: tenant.ID, Table: "llm_credentials", Row: id, Column: "api_key"}, "value of " + id}
	sealed, err := ring.Seal(bg, p.scope, []byte(p.value))
	testkit.OK(f.t, err)
	storetest.Credential(f.t, f.store, tenant, store.Credential{ID: id, Name: id, Kind: "openai", APIKey: sealed})
	f.places = append(f.places, p)
}

// app seals the secrets of the seeded app, which belong to the instance.
func (f *fixture) app(ring *secret.Keyring) {
	f.t.Helper()
	for _, column := range []string{"private_key", "webhook_secret"} {
		p := place{secret.Scope{Table: "apps", Row: f.world.App.ID, Column: column}, "value of " + column}
		sealed, err := ring.Seal(bg, p.scope, []byte(p.value))
		testkit.OK(f.t, err)
		f.raw(`UPDATE apps SET `+column+` = $1 WHERE id = $2`, sealed, f.world.App.ID)
		f.places = append(f.places, p)
	}
}

// sealed reads every sealed value, by its scope.
func (f *fixture) sealed() map[secret.Scope][]byte {
	f.t.Helper()
	out := map[secret.Scope][]byte{}
	for _, c := range store.SealedColumns() {
		some, err := f.store.SealedValues(bg, c, "", 1000)
		testkit.OK(f.t, err)
		for _, v := range some {
			out[secret.Scope{Tenant: v.Tenant, Table: v.Table, Row: v.Row, Column: v.Column}] = v.Sealed
		}
	}
	return out
}

// opens checks that a process with these keys opens every secret.
func (f *fixture) opens(configured ...secret.Secret) {
	f.t.Helper()
	ring, all := f.ring(configured...), f.sealed()
	testkit.OK(f.t, ring.Verify(bg))
	for _, p := range f.places {
		if got, err := ring.Open(bg, p.scope, all[p.scope]); err != nil || string(got) != p.value {
			f.t.Errorf("%v: %q %v", p.scope, got, err)
		}
	}
	_, err := audit.New(f.store, ring, telemetry.Discard()).Key(bg)
	testkit.OK(f.t, err)
}

// acts returns the entries of the instance's log about instance keys, as action, key and note.
func (f *fixture) acts(ring *secret.Keyring) (out []string) {
	f.t.Helper()
	r, err := audit.New(f.store, ring, telemetry.Discard()).Verify(bg, domain.Tenant{}, "")
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "the log is whole", r.OK, true)
	page, err := audit.New(f.store, ring, telemetry.Discard()).Entries(bg, domain.Tenant{}, store.AuditFilter{TargetKind: "instance-key", Limit: 100})
	testkit.OK(f.t, err)
	for _, e := range page {
		out = append(out, e.Action+" "+e.Target.ID+" "+e.Note)
	}
	return out
}

func (f *fixture) status(ring *secret.Keyring) keys.Status {
	f.t.Helper()
	st, err := f.service(ring).Status(bg)
	testkit.OK(f.t, err)
	return st
}

func (f *fixture) refused(err error, kind errs.Kind, words ...string) {
	f.t.Helper()
	for _, w := range words {
		if !errs.Is(err, kind) || !strings.Contains(err.Error(), w) {
			f.t.Errorf("want kind %v with %q, got %v", kind, w, err)
		}
	}
}

func TestAKeyIsReplaced(t *testing.T) {
	each(t, func(f *fixture) {
		both := f.ring(f.fresh, f.old)
		s, oldName := f.service(both), name(f.ring(f.old))
		st := f.status(both)
		testkit.Require(f.t, "keys", len(st.Keys), 2)
		testkit.Equal(f.t, "the new key", fmt.Sprintf("%+v", st.Keys[0]), fmt.Sprintf("%+v", keys.Key{Name: name(both), Place: keys.Newest, Some: []string{}}))
		testkit.Equal(f.t, "the old key", fmt.Sprintf("%+v", st.Keys[1]), fmt.Sprintf("%+v", keys.Key{Name: oldName, Place: keys.Older, Keysets: 4, Born: 4, Some: []string{}}))
		_, err := s.Retire(bg, oldName)
		f.refused(err, errs.Conflict, oldName, "still needed", "4 tenants", "assay keys rewrap")

		r, err := s.Rewrap(bg, false)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "wrapped", r.Wrapped, 4)
		f.opens(f.fresh)
		f.opens(f.fresh, f.old)
		again, err := s.Rewrap(bg, false)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "wrapped again", again.Wrapped, 0)
		for _, want := range []bool{true, false} {
			fresh, err := s.Retire(bg, oldName)
			testkit.OK(f.t, err)
			testkit.Equal(f.t, "retired by this call", fresh, want)
		}
		if k := f.status(both).Keys[1]; k.Needed() || k.Retired == 0 || k.Born != 4 {
			f.t.Errorf("%+v", k)
		}
		acts := f.acts(both)
		testkit.Require(f.t, "entries", len(acts), 3)
		for i, want := range []string{"instance-key.retire " + oldName, "instance-key.rewrap " + name(both) + " Done: wrapped 4", "instance-key.rewrap " + name(both) + " Begun: 4 of 4"} {
			if !strings.HasPrefix(acts[i], want) {
				f.t.Errorf("entry %d is %q", i, acts[i])
			}
		}
		_, err = f.service(f.ring(f.old, f.fresh)).Rewrap(bg, false)
		f.refused(err, errs.Conflict, "was retired", oldName)
	})
}

// After a leak, no secret is sealed with a data key that the leaked key has ever wrapped.
func TestDataKeysAreReplaced(t *testing.T) {
	each(t, func(f *fixture) {
		running := f.ring(f.fresh, f.old)
		for _, p := range f.places { // reading them loads the data keys into memory
			_, err := running.Open(bg, p.scope, f.sealed()[p.scope])
			testkit.OK(f.t, err)
		}
		before := f.sealed()
		s := f.service(f.ring(f.fresh, f.old))
		r, err := s.Rewrap(bg, true)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "data keys replaced", r.Replaced, 4)
		testkit.Equal(f.t, "secrets sealed again", r.Resealed, int64(len(before)))
		for at, sealed := range f.sealed() {
			was, _ := secret.SealedWith(before[at])
			if is, ok := secret.SealedWith(sealed); !ok || is == was {
				f.t.Errorf("%v is sealed with the earlier data key", at)
			}
		}
		f.opens(f.fresh)
		for _, p := range f.places {
			if got, err := running.Open(bg, p.scope, f.sealed()[p.scope]); err != nil || string(got) != p.value {
				f.t.Errorf("a process that was running does not open %v: %v", p.scope, err)
			}
		}
		testkit.Equal(f.t, "replaced data keys are kept", r.Kept, 4)
		st := f.status(running)
		testkit.Equal(f.t, "kept, stale", fmt.Sprint(st.Replacing, st.Stale, st.Until > st.Now), "4 0 true")

		f.add(running, domain.Tenant{ID: f.places[5].scope.Tenant}) // sealed and stored by a running process
		f.raw(`UPDATE keysets SET replaced_us = replaced_us - $1`, keys.KeepReplaced.Microseconds())
		only := f.service(f.ring(f.fresh))
		if r, err = only.Rewrap(bg, false); err != nil || r.Dropped != 4 || r.Kept != 0 || r.Resealed != 0 {
			f.t.Errorf("%+v %v", r, err)
		}
		f.opens(f.fresh)
		if _, err := f.ring(f.fresh).Open(bg, f.places[0].scope, before[f.places[0].scope]); err == nil {
			f.t.Error("a replaced data key is still there")
		}
		st = f.status(running)
		testkit.Equal(f.t, "made with the old key", st.Keys[1].Born, 0)
		testkit.Equal(f.t, "replacing", st.Replacing, 0)
	})
}

// A request seals a secret before the data key is replaced, and stores it after the pass. The secret is
// sealed again before the replaced key is deleted.
func TestALateSecretIsSealedAgainBeforeTheDataKeyIsDeleted(t *testing.T) {
	each(t, func(f *fixture) {
		tenant := domain.Tenant{ID: f.places[5].scope.Tenant}
		id := domain.NewID("crd")
		p := place{secret.Scope{Tenant: tenant.ID, Table: "llm_credentials", Row: id, Column: "api_key"}, "late"}
		late, err := f.ring(f.old).Seal(bg, p.scope, []byte(p.value))
		testkit.OK(f.t, err)
		s := f.service(f.ring(f.fresh, f.old))
		_, err = s.Rewrap(bg, true)
		testkit.OK(f.t, err)
		storetest.Credential(f.t, f.store, tenant, store.Credential{ID: id, Name: id, Kind: "openai", APIKey: late})
		f.places = append(f.places, p)
		testkit.Equal(f.t, "stale", f.status(s.Keyring).Stale, 1)
		_, err = s.Retire(bg, name(f.ring(f.old)))
		f.refused(err, errs.Conflict, "1 secret", "assay keys rewrap")
		f.raw(`UPDATE keysets SET replaced_us = replaced_us - $1`, keys.KeepReplaced.Microseconds())
		r, err := s.Rewrap(bg, false)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "sealed again, dropped", fmt.Sprint(r.Resealed, r.Dropped), "1 4")
		f.opens(f.fresh)
	})
}

func TestAnUnreadableSecretIsNamedAndItsDataKeyKept(t *testing.T) {
	each(t, func(f *fixture) {
		last := f.places[len(f.places)-1].scope
		broken := f.sealed()[last]
		broken[len(broken)-1] ^= 1
		f.raw(`UPDATE llm_credentials SET api_key = $1 WHERE id = $2`, broken, last.Row)
		s := f.service(f.ring(f.fresh, f.old))
		_, err := s.Rewrap(bg, true)
		testkit.OK(f.t, err)
		f.raw(`UPDATE keysets SET replaced_us = replaced_us - $1`, keys.KeepReplaced.Microseconds())
		r, err := s.Rewrap(bg, false)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "dropped, kept", fmt.Sprint(r.Dropped, r.Kept), "3 1")
		testkit.Equal(f.t, "named", strings.Join(r.Broken, ";"), "llm_credentials.api_key of "+last.Row)
	})
}

func TestRetireRefusesWhatIsNeeded(t *testing.T) {
	each(t, func(f *fixture) {
		both := f.ring(f.fresh, f.old)
		s, oldName := f.service(both), name(f.ring(f.old))
		_, err := s.Rewrap(bg, false)
		testkit.OK(f.t, err)
		_, err = s.Retire(bg, name(both))
		f.refused(err, errs.Conflict, "newest", "ASSAY_INSTANCE_KEY")
		_, err = s.Retire(bg, "00000000")
		f.refused(err, errs.NotFound, "assay keys status", oldName)
		for i, key := range []string{oldName, ""} { // "" stands for rows older than the record of the key
			id, _, err := f.store.AddAnswer(bg, f.world.Tenant, store.CommandAnswer{PullRequest: f.world.Pull.ID, Comment: domain.NumberID(int64(i + 1)), Body: "Help.", MarkKey: key}, 5)
			testkit.OK(f.t, err)
			_, err = f.store.EndAnswer(bg, f.world.Tenant, id, domain.AnswerSaid, "7", "")
			testkit.OK(f.t, err)
			_, err = s.Retire(bg, oldName)
			f.refused(err, errs.Conflict, "1 open pull request (octo/repo#1)", "closed or merged")
			f.raw(`DELETE FROM command_answers`)
		}
		fresh, err := s.Retire(bg, oldName)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "retired", fresh, true)
		_, err = f.service(f.ring(f.fresh)).Rewrap(bg, false)
		f.refused(err, errs.Conflict, "only instance key", "ASSAY_INSTANCE_KEY=new,old")
	})
}

// Several rewraps at once, beside processes that store secrets, leave every secret readable.
func TestRewrapsAtOnceBesideWriters(t *testing.T) {
	each(t, func(f *fixture) {
		tenants := map[string]bool{}
		for _, p := range f.places {
			if p.scope.Tenant != "" {
				tenants[p.scope.Tenant] = true
			}
		}
		more := make(chan place, 1000)
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				if _, err := f.service(f.ring(f.fresh, f.old)).Rewrap(bg, i > 0); err != nil {
					f.t.Error(err)
				}
			})
			all.Go(func() { f.write(tenants, more) })
		}
		all.Wait()
		close(more)
		for p := range more {
			f.places = append(f.places, p)
		}
		f.raw(`UPDATE keysets SET replaced_us = replaced_us - $1`, keys.KeepReplaced.Microseconds())
		r, err := f.service(f.ring(f.fresh, f.old)).Rewrap(bg, true)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "dropped, kept", fmt.Sprint(r.Dropped, r.Kept), "4 0")
		f.opens(f.fresh)
	})
}

// write stores secrets of tenants as a running process does.
func (f *fixture) write(tenants map[string]bool, more chan<- place) {
	ring := f.ring(f.fresh, f.old)
	for tenant := range tenants {
		for range 10 {
			id := domain.NewID("crd")
			p := place{secret.Scope{Tenant: tenant, Table: "llm_credentials", Row: id, Column: "api_key"}, "value of " + id}
			sealed, err := ring.Seal(bg, p.scope, []byte(p.value))
			if err == nil {
				_, err = f.store.CreateCredential(bg, domain.Tenant{ID: tenant}, store.Credential{ID: id, Name: id, Kind: "openai", APIKey: sealed})
			}
			if err != nil {
				f.t.Error(err)
				return
			}
			more <- p
		}
	}
}

// An instance key is used once all running processes have it. A key that one still uses is not retired.
func TestProcessesThatAreBehind(t *testing.T) {
	each(t, func(f *fixture) {
		both := f.ring(f.fresh, f.old)
		s, newName, oldName := f.service(both), name(both), name(f.ring(f.old))
		see := func(id string, has ...string) {
			f.t.Helper()
			testkit.OK(f.t, f.store.RecordHeartbeat(bg, store.Process{ID: id, Name: id + " on web-1, process 7", Version: "1.2.3", Keys: has}, nil))
		}
		see("worker", newName, oldName)
		see("api", oldName)
		_, err := s.Rewrap(bg, true)
		f.refused(err, errs.Conflict, "api on web-1, process 7 (it lacks the instance key "+newName, "restart it", "ASSAY_INSTANCE_KEY=new,old")
		if strings.Contains(err.Error(), "worker on") {
			f.t.Errorf("it names a process that has the key: %v", err)
		}
		st := f.status(both)
		testkit.Equal(f.t, "data keys of the old key", st.Keys[1].Keysets, 4)
		testkit.Equal(f.t, "processes", fmt.Sprint(st.Processes[0].Name, st.Processes[0].Keys, st.Processes[1].Keys), fmt.Sprint("api on web-1, process 7", []string{oldName}, []string{newName, oldName}))

		see("api")
		_, err = s.Rewrap(bg, false)
		f.refused(err, errs.Conflict, "its version (1.2.3) does not say which instance keys it has")
		see("api", oldName, newName)
		_, err = s.Rewrap(bg, false)
		testkit.OK(f.t, err)

		_, err = s.Retire(bg, oldName)
		f.refused(err, errs.Conflict, "api on web-1, process 7 (it has the instance key "+oldName+" first", "marks new reviews", "restart it")
		see("api", oldName)
		_, err = s.Retire(bg, oldName)
		f.refused(err, errs.Conflict, "it lacks the instance key "+newName)
		f.raw(`UPDATE worker_lanes SET seen_us = seen_us - 61000000 WHERE worker_id = 'api'`) // it was killed
		for i := range 7 {
			see(fmt.Sprint("api", i), oldName, newName)
		}
		_, err = s.Retire(bg, oldName)
		f.refused(err, errs.Conflict, "; and 2 more. Put")
		f.raw(`DELETE FROM worker_lanes WHERE worker_id LIKE 'api_'`)
		see("api", newName, oldName)
		_, err = s.Retire(bg, oldName)
		testkit.OK(f.t, err)
	})
}

// A key is retired while processes that have it first store secrets of new tenants. The newest key alone
// opens the secrets that they stored before, and afterwards their writes are refused.
func TestAKeyIsRetiredBesideWritersThatHaveItFirst(t *testing.T) {
	each(t, func(f *fixture) {
		const each = 40
		s, oldName := f.service(f.ring(f.fresh, f.old)), name(f.ring(f.old))
		var tenants [3][]domain.Tenant
		for i := range tenants {
			for range each {
				tenants[i] = append(tenants[i], storetest.Tenant(t, f.store))
			}
		}
		more := make(chan place, len(tenants)*each)
		var all sync.WaitGroup
		for _, own := range tenants {
			all.Go(func() {
				ring := f.ring(f.old, f.fresh)
				for _, tenant := range own {
					id := domain.NewID("crd")
					p := place{secret.Scope{Tenant: tenant.ID, Table: "llm_credentials", Row: id, Column: "api_key"}, "value of " + id}
					sealed, err := ring.Seal(bg, p.scope, []byte(p.value))
					if err == nil {
						_, err = f.store.CreateCredential(bg, tenant, store.Credential{ID: id, Name: id, Kind: "openai", APIKey: sealed})
					}
					switch {
					case err == nil:
						more <- p
					case !errs.Is(err, errs.Conflict) || !strings.Contains(err.Error(), "was retired"):
						f.t.Error(err)
					}
				}
			})
		}
		for err := error(errs.New(errs.Conflict, "x", "x")); errs.Is(err, errs.Conflict); {
			_, err = s.Rewrap(bg, false)
			testkit.OK(f.t, err)
			if _, err = s.Retire(bg, oldName); err != nil && !errs.Is(err, errs.Conflict) {
				f.t.Fatal(err)
			}
		}
		all.Wait()
		close(more)
		for p := range more {
			f.places = append(f.places, p)
		}
		f.opens(f.fresh)
		if _, err := f.ring(f.old, f.fresh).Seal(bg, secret.Scope{Tenant: storetest.Tenant(t, f.store).ID, Table: "llm_credentials", Row: "crd_1", Column: "api_key"}, nil); !errs.Is(err, errs.Conflict) {
			f.t.Errorf("a new tenant's secret with the retired key first: %v", err)
		}
	})
}
