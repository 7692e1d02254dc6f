package engine

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// pass is one look at one part of the change.
type pass struct {
	finding.Pass
	part   int
	route  ask.Route
	room   prompts // with the rooms of the route
	slots  int     // conversations that it may have, where the part has to be cut for it
	apart  bool    // another pass over the part looks at the rules
	leads  bool    // it is the first over the part that asks its model
	shared bool    // another one asks the same model

	describes bool // it also writes the synopsis

	lookUps int // calls of tools that it may make before it answers

	found []candidate // by an earlier general pass over the part
}

// passes plans the looks of the review's depth at its parts, with at most so many conversations. Each look
// goes to all parts before the next one, so that the least important looks are left out. A look without a
// subject in a part is not made, and a part without room for the first look gets no other. left counts the
// other looks without room. The result of the review names the looks.
func (w *work) passes(p prompts, parts []change.Chunk, most int) (out []pass, left int) {
	depth := w.passesOfReview()
	rooms := map[string]prompts{}
	idle := map[finding.Pass]int{} // parts without a subject for the look
	without := map[int]bool{}      // parts for which there is not even the first look
	most, panels := w.shareWithPanel(most)
	for _, l := range depth {
		for i, c := range parts {
			if !p.concern(l, c) {
				idle[l]++
				continue
			}
			if without[i] {
				continue
			}
			tier := p.tier(depth, l, c)
			route, ok := w.in.Models.Pick(tier)
			if !ok {
				continue
			}
			room, known := rooms[tier]
			if !known {
				room = w.roomsFor(route, p)
				rooms[tier] = room
			}
			n := callsFor(c.Tokens, room.rooms.diff)
			if l.OfPanel() {
				if n == 0 || n > panels {
					w.missPanel(roomLack(n))
					continue
				}
				panels -= n
				out = append(out, pass{Pass: l, part: i, route: route, room: room, slots: n})
				continue
			}
			if n == 0 || n > most {
				without[i] = l == depth[0]
				if !without[i] {
					left++
				}
				continue
			}
			most -= n
			out = append(out, pass{Pass: l, part: i, route: route, room: room, slots: n})
		}
	}
	for i := range out {
		ps := &out[i]
		ps.slots += (most + panels) / len(out) // for what is longer than was estimated
		before, others := false, false
		for j := range out {
			if o := &out[j]; o.part == ps.part && j != i {
				same := o.asks(ps.route)
				others, before = others || same, before || same && j < i
				ps.apart = ps.apart || o.Lens == finding.LensRules
			}
		}
		ps.leads, ps.shared = !before, others
	}
	if len(out) > 0 {
		w.result.TierWhy += "; " + passesMade(depth, out, idle, len(parts))
	}
	return out, left
}

// tier returns the tier of the model for a look at a part. A look that would be alone with its model goes to
// the model of the two general passes: nearly all of its input is in the cache of that one, where it costs a
// tenth.
func (p prompts) tier(depth []finding.Pass, l finding.Pass, c change.Chunk) string {
	if l.OfPanel() {
		return l.Tier
	}
	own := slices.DeleteFunc(slices.Clone(depth), finding.Pass.OfPanel)
	company := slices.ContainsFunc(own, func(o finding.Pass) bool { return o != l && o.Tier == l.Tier && p.concern(o, c) })
	if company || len(own) < 3 {
		return l.Tier
	}
	return depth[0].Tier
}

// roomsFor are the prompts with the rooms that a route has.
func (w *work) roomsFor(r ask.Route, p prompts) prompts {
	fixed := ask.Size(generateSystem(w.Guard, w.in.Policy.Language), findingSchema(w.rules[:min(len(w.rules), MaxRules)]), nil) + lensTokens()
	p.rooms = roomsOf(r, fixed, p.partSizes())
	p.pr = p.rooms.fit(p.pr)
	return p
}

// callsFor is how many calls hold so many tokens of diff where one has room for some: a
// part is cut into halves. 0 where there is no room for what is worth a call.
func callsFor(tokens, room int) int {
	if room < leastDiff {
		return 0
	}
	n := 1
	for tokens > n*room {
		n *= 2
	}
	return n
}

// leftOutLooks says that parts were looked at less often than their depth asks for; ""
// where they were not.
func (w *work) leftOutLooks(left int) string {
	if left == 0 {
		return ""
	}
	return wording.English(wording.NoticeLooks, left, w.conversationBound().all)
}

// prologue is what all passes over a part begin with that ask one model.
type prologue struct {
	key     chunkKey
	earlier []earlierFinding
}

// prologue writes it.
func (p prompts) prologue(ctx context.Context, c change.Chunk, r ask.Route, language string) prologue {
	rules, _ := rulesOf(p.rules, c, p.rooms.rules)
	earlier := earlierOf(p.earlier, c, p.rooms.earlier)
	return prologue{chunkKey{Model: r.Model, Effort: string(r.Effort), Tier: r.Tier, Language: language, Rules: rules,
		Index: p.index(c), Context: p.around(ctx, c),
		Earlier: writeEarlier(earlier), Body: p.body(ctx, c)}, earlier}
}

// with is the key of a pass over a part that begins so.
func (b prologue) with(ps pass, c change.Chunk) chunkKey {
	k := b.key
	k.Lens, k.Look, k.Start, k.Found = ps.Name(), ps.lensText(k.Rules), passStart(c, ps.Number), told(ps.found)
	k.Most, k.Describes = mostFindings(c), ps.describes
	if seesAuthor(ps.Lens) {
		k.Title, k.Text = ps.room.pr.Title, ps.room.pr.Body
	}
	return k
}

// shows reports whether a label is one of the earlier findings in it.
func (b prologue) shows(label string) bool {
	return slices.ContainsFunc(b.earlier, func(l earlierFinding) bool { return l.label == label })
}

// asks reports whether a pass asks the model of a route in the same way.
func (ps pass) asks(r ask.Route) bool {
	samePanel := (ps.route.Tier == ask.TierPanel) == (r.Tier == ask.TierPanel)
	return samePanel && ps.route.Model == r.Model && ps.route.Effort == r.Effort && ps.route.ContextWindow() == r.ContextWindow()
}

// message is that of a pass. Only what is read again, by another pass or after calls of tools, is marked for the caches of
// providers, which ask more for what they keep.
func (ps pass) message(g ask.Guard, k chunkKey) llm.Message {
	m := generateUser(g, k)
	if !ps.shared && ps.lookUps == 0 {
		m.Shared = 0
	}
	return m
}

// spent is how many conversations a pass had.
func (m passResult) spent() int {
	if m.err != nil {
		return m.slots
	}
	return m.Asked
}
