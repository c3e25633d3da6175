// Signals of this process, for os/ only; what others call is in os/proc.h.
#ifndef KS_SIGNALS_H
#define KS_SIGNALS_H

int ks_signals_stop(void);           // the signal that asked to stop, or 0
void ks_signals_default(void);       // in a child that shares our memory: no handler of ours runs
void ks_signals_child_end(int number); // what ended a child: a signal or 0

#endif
