package publish

import (
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// roomForMarks is the number of characters reserved in a body for later additions.
const roomForMarks = 1000

// Placed moves the comments for which placed is false into the body, after a sentence that introduces them.
// If some do not fit, a last sentence says so. maxBody is the maximum number of characters of a body; 0
// means no bound.
func (p Payload) Placed(placed func(Comment) bool, maxBody int) Payload {
	var stay, move []Comment
	for _, c := range p.Comments {
		if placed(c) {
			stay = append(stay, c)
		} else {
			move = append(move, c)
		}
	}
	if len(move) == 0 {
		return p
	}
	words := wording.In(p.Language)
	p.Comments = stay
	tail := []markdown.Text{markdown.Const("---"), words.Say(wording.NotOnLines)}
	p.Body = markdown.Blocks(p.Body, markdown.Blocks(tail...))
	for _, c := range move {
		moved := markdown.Blocks(markdown.Span(c.Path), c.Body.WithoutMarks())
		more := markdown.Blocks(p.Body, moved)
		if maxBody > 0 && more.Len() > maxBody-roomForMarks {
			moved = words.Say(wording.MoreComments)
			p.Body, tail = markdown.Blocks(p.Body, moved), append(tail, moved)
			break
		}
		p.Body, tail = more, append(tail, moved)
	}
	return p.withTail(markdown.Blocks(tail...))
}
