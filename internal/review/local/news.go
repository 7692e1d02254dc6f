package local

import "context"

// News returns those of some pushed objects that bring what neither the commits of
// o.Known nor the remotes of the checkout are known to have, and those that are no
// commits, in their order.
func News(ctx context.Context, o Options, heads []string) ([]string, error) {
	l, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // what is left of a temporary folder is no fault of the answer
	return l.News(ctx, heads, o.Known)
}
