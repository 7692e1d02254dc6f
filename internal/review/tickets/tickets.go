// Package tickets knows what a change was meant to do: which issues of trackers a
// pull request belongs to, and what of them may be known to whoever reads its review.
package tickets
