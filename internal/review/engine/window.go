package engine

import (
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

const (
	// leastDiff is the fewest tokens of diff that a call is worth (design choice: some
	// 40 lines). A model that has no room for them reviews nothing.
	leastDiff = 500
	// maxIndex and maxEarlier bound the declarations elsewhere in the change and the earlier
	// findings of a call, in tokens (design choice: 20 of each, with a path).
	maxIndex, maxEarlier = 1_150, 3_000
)

// rooms are the most tokens of the parts of one generation call.
type rooms struct {
	diff, context, rules, earlier, index, claims int
}

// partSizes holds the tokens of the parts that do not grow with the diff.
type partSizes struct{ rules, earlier, claims int }

// roomsOf divides the room of a route beside a system text and schema of fixed tokens. Parts that do not grow
// with the diff get as much as they ask for, up to their bound and to a share of the room. Context gets what the
// diff leaves, at least two sevenths of the rest.
func roomsOf(r ask.Route, fixed int, w partSizes) rooms {
	free := max(r.Input()-fixed-ask.MessageOverhead, 0)
	out := rooms{rules: min(MaxRuleTokens, free/4), earlier: min(maxEarlier, free/12), index: min(maxIndex, free/12), claims: free / 6}
	rest := free - min(w.rules, out.rules) - min(w.earlier, out.earlier) - out.index - min(w.claims, out.claims)
	out.diff = min(change.ChunkTokens, rest*5/7)
	out.context = min(contextCap, rest-out.diff)
	return out
}

// calls is how many calls may hold the diff that so many full ones would hold: a
// model with a small context is asked more often, up to maxCalls.
func (r rooms) calls(full int) int {
	return max(full, min((full*change.ChunkTokens+r.diff-1)/max(r.diff, 1), maxCalls))
}

// half is the room of a part that is cut in two because the whole was too long.
func (r rooms) half() rooms {
	r.diff, r.context, r.index = r.diff/2, r.context/2, r.index/2
	return r
}

// around is how many tokens of context belong to so many of diff: as many, within its bounds and the room that the diff leaves.
func (r rooms) around(diff int) int {
	return min(max(diff, contextFloor), contextCap, r.context+max(r.diff-diff, 0))
}

// fit is the words of the author, cut to their room: the description first.
func (r rooms) fit(pr PullRequest) PullRequest {
	room := r.claims * 7 / 2
	pr.Title = change.Cut(pr.Title, room)
	pr.Body = change.Cut(pr.Body, max(room-len(pr.Title), 0))
	return pr
}

// partSizes estimates the tokens of the parts of a generation call that do not grow with the diff.
func (p prompts) partSizes() partSizes {
	var w partSizes
	for _, r := range p.rules {
		w.rules += llm.EstimateTokens(len(ruleLine(r)))
	}
	w.earlier = llm.EstimateTokens(len(writeEarlier(p.earlier)))
	w.claims = llm.EstimateTokens(len(p.pr.Title)+len(p.pr.Body)) + 1
	return w
}

// maxChunks is the most generation calls of one review. maxCalls is the most with a model that takes less than
// [change.ChunkTokens] of diff in a call. The coverage names what is left.
const maxChunks, maxCalls = 24, 60
