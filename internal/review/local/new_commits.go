package local

import "context"

// News returns the pushed objects that bring commits which neither the commits of o.Known nor the known
// state of the remotes contain, and objects that are not commits, in their order.
func News(ctx context.Context, o Options, heads []string) ([]string, error) {
	l, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // leftovers of a temporary folder do not matter
	return l.News(ctx, heads, o.Known)
}
