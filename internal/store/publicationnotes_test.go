package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// noted is a publication in the phase CREATING with a comment, whose draft was asked for, and the
// summary.
func (p publishing) noted(t testing.TB, s *store.Store) (store.Publication, []store.PublicationNote) {
	t.Helper()
	pub := must2(s.Prepare(bg, p.Tenant, p.row("frozen"), p.job.ID, p.job.Gen))(t)
	testkit.Equal(t, "planned", must2(s.PlanNotes(bg, p.Tenant, pub.ID, pub.Gen, []string{"f1", ""}))(t), true)
	first := must2(s.NotesOf(bg, p.Tenant, pub.ID))(t)[0]
	testkit.Equal(t, "asked for", must2(s.MoveNote(bg, p.Tenant, first, pub.Gen, domain.PhaseCreating, domain.NoteDrafting, ""))(t), true)
	return pub, must2(s.NotesOf(bg, p.Tenant, pub.ID))(t)
}

// If several workers choose a draft for one comment, one choice counts, and it is final.
func TestChooseNoteOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub, rows := p.noted(t, s)
		choose := func(row store.PublicationNote, draft domain.HostID) bool {
			t.Helper()
			return must2(s.ChooseNote(bg, p.Tenant, row, pub.Gen, domain.PhaseCreating, draft))(t)
		}
		testkit.Equal(t, "chosen before it was asked for", choose(rows[1], "99"), false)
		chosen := make([]domain.HostID, 16)
		won := winners(t, 16, func(i int) (bool, error) {
			draft := domain.NumberID(int64(100 + i))
			did, err := s.ChooseNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseCreating, draft)
			if did {
				chosen[i] = draft
			}
			return did, err
		})
		testkit.Equal(t, "choices", won, 1)
		now := must2(s.NotesOf(bg, p.Tenant, pub.ID))(t)
		testkit.Equal(t, "phase", now[0].Phase, domain.NoteChosen)
		testkit.Equal(t, "the draft that won", now[0].Draft != "" && slices.Contains(chosen, now[0].Draft), true)
		testkit.Equal(t, "the summary", now[1], rows[1])

		before := dump(t, s)
		testkit.Equal(t, "chosen again", choose(rows[0], "7"), false)
		testkit.Equal(t, "chosen again after reading the choice", choose(now[0], "7"), false)
		testkit.Equal(t, "rows", dump(t, s), before)
		// No code moves a row back. If it did, the choice would still stand.
		raw(t, s, `UPDATE publication_notes SET phase = 'DRAFTING' WHERE seq = 1`)
		testkit.Equal(t, "chosen again where the row was taken back", choose(rows[0], "7"), false)
	})
}

// ChooseNote refuses a comment that was dropped.
func TestChooseADroppedNote(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub, rows := p.noted(t, s)
		testkit.Equal(t, "dropped", must2(s.MoveNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseCreating, domain.NoteDropped, "refused"))(t), true)
		before := dump(t, s)
		testkit.Equal(t, "chosen after it was dropped", must2(s.ChooseNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseCreating, "7"))(t), false)
		testkit.Equal(t, "rows", dump(t, s), before)
	})
}

// ChooseNote and MoveNote refuse the comments of a publication that was given up.
func TestChooseANoteThatWasGivenUp(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub, rows := p.noted(t, s)
		testkit.Equal(t, "given up", must2(s.MovePublication(bg, p.Tenant, pub.ID, pub.Gen, domain.PhaseCreating, domain.PhaseAbandoned, "", "closed"))(t), true)
		before := dump(t, s)
		testkit.Equal(t, "chosen after that", must2(s.ChooseNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseCreating, "7"))(t), false)
		testkit.Equal(t, "moved after that", must2(s.MoveNote(bg, p.Tenant, rows[1], pub.Gen, domain.PhaseCreating, domain.NoteDrafting, ""))(t), false)
		testkit.Equal(t, "rows", dump(t, s), before)
	})
}

// A worker of an older generation changes no row, in no phase.
func TestStaleGenerationChangesNoNote(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		old := must2(s.Prepare(bg, p.Tenant, p.row("frozen"), p.job.ID, p.job.Gen))(t)
		takeOver := func() int64 {
			t.Helper()
			return must2(s.Prepare(bg, p.Tenant, p.row("x"), p.job.ID, p.job.Gen))(t).Gen
		}
		gen := takeOver()
		refused := func(name string, call func(gen int64) (bool, error)) {
			t.Helper()
			stale, before := gen, dump(t, s)
			testkit.Equal(t, name+" under a generation that is to come", must2(call(gen+1))(t), false)
			testkit.Equal(t, "rows", dump(t, s), before)
			gen = takeOver()
			before = dump(t, s)
			testkit.Equal(t, name+" under an older generation", must2(call(stale))(t), false)
			testkit.Equal(t, "rows", dump(t, s), before)
			testkit.Equal(t, name+" by the holder", must2(call(gen))(t), true)
		}
		row := func(seq int) store.PublicationNote {
			t.Helper()
			return must2(s.NotesOf(bg, p.Tenant, old.ID))(t)[seq-1]
		}
		move := func(seq int, at domain.Phase, to domain.NotePhase) {
			t.Helper()
			n := row(seq)
			refused("to "+string(to), func(gen int64) (bool, error) { return s.MoveNote(bg, p.Tenant, n, gen, at, to, "why") })
			testkit.Equal(t, "phase", row(seq).Phase, to)
		}
		refused("planned", func(gen int64) (bool, error) { return s.PlanNotes(bg, p.Tenant, old.ID, gen, []string{"f1", ""}) })
		for seq := 1; seq <= 2; seq++ {
			move(seq, domain.PhaseCreating, domain.NoteDrafting)
			n := row(seq)
			refused("chosen", func(gen int64) (bool, error) {
				return s.ChooseNote(bg, p.Tenant, n, gen, domain.PhaseCreating, domain.NumberID(int64(seq)))
			})
		}
		for _, m := range [][2]domain.Phase{{domain.PhaseCreating, domain.PhaseChosen}, {domain.PhaseChosen, domain.PhaseSubmitting}} {
			refused("to "+string(m[1]), func(gen int64) (bool, error) { return s.MovePublication(bg, p.Tenant, old.ID, gen, m[0], m[1], "", "") })
		}
		move(1, domain.PhaseSubmitting, domain.NotePublishing)
		move(1, domain.PhaseSubmitting, domain.NoteVisible)
		move(1, domain.PhaseSubmitting, domain.NoteDropped)
		move(2, domain.PhaseSubmitting, domain.NotePublishing)
		move(2, domain.PhaseSubmitting, domain.NoteVisible)
		refused("named", func(gen int64) (bool, error) { return s.NameReview(bg, p.Tenant, old.ID, gen, "77") })
	})
}

// A row is moved once, from the phase in which the worker has read it.
func TestMoveNoteFromWhatWasSeen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		pub, rows := p.noted(t, s)
		planned := rows[0]
		planned.Phase = domain.NotePlanned
		before := dump(t, s)
		testkit.Equal(t, "moved again", must2(s.MoveNote(bg, p.Tenant, planned, pub.Gen, domain.PhaseCreating, domain.NoteDrafting, ""))(t), false)
		testkit.Equal(t, "in a phase that the publication is not in", must2(s.MoveNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseSubmitting, domain.NoteDropped, ""))(t), false)
		for _, to := range []domain.NotePhase{domain.NotePlanned, domain.NoteChosen, domain.NotePublishing, domain.NoteVisible} {
			if _, err := s.MoveNote(bg, p.Tenant, rows[0], pub.Gen, domain.PhaseCreating, to, ""); err == nil {
				t.Errorf("from %s to %s was allowed", rows[0].Phase, to)
			}
		}
		testkit.Equal(t, "rows", dump(t, s), before)
	})
}

// If a change of a row and a take-over race, the publication is locked from the check to the commit, so
// that the other worker does not read rows that are about to change.
func TestNotesAgainstTakeOver(t *testing.T) {
	for name, change := range map[string]func(ctx context.Context, s *store.Store, t domain.Tenant, n store.PublicationNote, gen int64) (bool, error){
		"choose": func(ctx context.Context, s *store.Store, t domain.Tenant, n store.PublicationNote, gen int64) (bool, error) {
			return s.ChooseNote(ctx, t, n, gen, domain.PhaseCreating, "7")
		},
		"move": func(ctx context.Context, s *store.Store, t domain.Tenant, n store.PublicationNote, gen int64) (bool, error) {
			return s.MoveNote(ctx, t, n, gen, domain.PhaseCreating, domain.NoteDropped, "why")
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				p := seedPublishing(t, s)
				pub, rows := p.noted(t, s)
				p.holdsOff(t, s, pub, func(ctx context.Context) (bool, error) { return change(ctx, s, p.Tenant, rows[0], pub.Gen) })
			})
		})
	}
}
