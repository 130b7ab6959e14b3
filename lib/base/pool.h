/* String pool: equal texts get one number, from 0 in order of first sight, and one copy. */
#ifndef TL_BASE_POOL_H
#define TL_BASE_POOL_H
#include "buf.h"

struct tl_pool;
#define TL_POOL_NONE UINT32_MAX

struct tl_pool *tl_pool_new(void);
void tl_pool_free(struct tl_pool *p);
void tl_pool_clear(struct tl_pool *p); /* forgets all, keeps the memory */

uint32_t tl_pool_add(struct tl_pool *p, struct tl_span s);         /* the number, copied if new */
uint32_t tl_pool_find(const struct tl_pool *p, struct tl_span s);  /* TL_POOL_NONE when absent */
struct tl_span tl_pool_text(const struct tl_pool *p, uint32_t id); /* valid until clear or free */
uint32_t tl_pool_count(const struct tl_pool *p);

#endif
