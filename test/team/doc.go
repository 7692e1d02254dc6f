// Package team plays a team that works with the reviewer for many pull requests: people refuse the same remarks again and
// again, a manager decides on proposed suppressions, and strangers and bots try to decide, too. The reviews, the store and
// the decisions are the product's; the model is a script, and the code host is in memory.
package team
